// urql: queries and mutations with its own Accept header, subscriptions through fetch and through graphql-ws.
//
//   node urql.mjs --base http://127.0.0.1:8000

import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startTask, tokenFor } from "./lib/api.mjs";
import { finish, readOptions } from "./lib/options.mjs";
import { checkEvents, expect, within } from "./lib/steps.mjs";

const options = readOptions({ base: null, token: "", email: "urql@example.com", password: "clients password" });
const failures = [];
const url = new URL("/graphql", options.base).href;
const SUBSCRIPTION = "subscription($id: ID!, $after: Int) { taskProgress(taskId: $id, after: $after) { sequence status } }";

/** Collect a subscription's events until the terminal one, or its end. */
function follow(client, variables) {
  return new Promise((resolve, reject) => {
    const events = [];
    const { unsubscribe } = client.subscription(SUBSCRIPTION, variables).subscribe((result) => {
      if (result.error) return reject(result.error);
      if (!result.data?.taskProgress) return undefined;
      events.push(result.data.taskProgress);
      if (["COMPLETED", "FAILED"].includes(events.at(-1).status)) {
        setTimeout(() => unsubscribe(), 0);
        resolve(events);
      }
      return undefined;
    });
  });
}

await within(100, failures, async () => {
  const token = await tokenFor(options.base, options);
  const authorization = `Bearer ${token}`;
  const fetchOptions = { headers: { authorization } };
  const plain = new Client({ url, fetchOptions, exchanges: [fetchExchange], preferGetMethod: false, fetchSubscriptions: true });
  const query = await plain.query("{ me { email } providers { name available } }", {}).toPromise();
  expect(query.data?.me.email === options.email, failures, `query: ${query.error}`);
  const get = await plain.query("{ me { id } }", {}, { preferGetMethod: "force" }).toPromise();
  expect(Boolean(get.data?.me.id), failures, `query by GET: ${get.error}`);
  const mutation = await plain
    .mutation('mutation { createProject(input: { name: "用 urql" }) { project { name } errors { code } } }', {})
    .toPromise();
  expect(mutation.data?.createProject.project.name === "用 urql", failures, `mutation: ${mutation.error}`);
  const wrong = await plain.query("{ nothing }", {}).toPromise();
  expect(wrong.error?.graphQLErrors.length > 0, failures, "a wrong query gave no GraphQL error");

  const first = await startTask(options.base, token, "an urql key");
  checkEvents(await follow(plain, { id: first.taskId, after: 0 }), failures, "fetch");

  const socket = createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams: { authorization } });
  const live = new Client({
    url,
    fetchOptions,
    preferGetMethod: false,
    exchanges: [
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ ...request, query: request.query ?? "" }, sink) }),
        }),
      }),
      fetchExchange,
    ],
  });
  const second = await startTask(options.base, token, "an urql shield");
  checkEvents(await follow(live, { id: second.taskId, after: 0 }), failures, "websocket");
  await socket.dispose();
});
finish({ failures });
