// Apollo Client: a query, mutations with expected failures as data, and subscriptions over multipart HTTP and over WebSocket.
//
//   node apollo.mjs --base http://127.0.0.1:8000

import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startTask, tokenFor } from "./lib/api.mjs";
import { finish, readOptions } from "./lib/options.mjs";
import { checkEvents, expect, within } from "./lib/steps.mjs";

const options = readOptions({ base: null, token: "", email: "apollo@example.com", password: "clients password" });
const failures = [];
const uri = new URL("/graphql", options.base).href;
const SUBSCRIPTION = gql`subscription Follow($id: ID!, $after: Int) {
  taskProgress(taskId: $id, after: $after) { taskId sequence status progress task { id status progress } }
}`;

function client(link) {
  return new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes: {} }) });
}

/** Collect a subscription's events to its end. */
function follow(apollo, variables) {
  return new Promise((resolve, reject) => {
    const events = [];
    apollo.subscribe({ query: SUBSCRIPTION, variables }).subscribe({
      next: ({ data, error }) => (error ? reject(error) : events.push(data.taskProgress)),
      error: reject,
      complete: () => resolve(events),
    });
  });
}

await within(100, failures, async () => {
  const token = await tokenFor(options.base, options);
  const authorization = `Bearer ${token}`;
  const http = client(new HttpLink({ uri, headers: { authorization } }));
  const me = (await http.query({ query: gql`{ me { id email limits { activeTasks maxActiveTasks } } }` })).data.me;
  expect(me.email === options.email, failures, "query: wrong user");

  const refused = await http.mutate({
    mutation: gql`mutation { createProject(input: { name: "" }) { project { id } errors { code path message } } }`,
  });
  expect(refused.data.createProject.errors[0]?.code === "INVALID_INPUT", failures, "mutation: no failure as data");

  const first = await startTask(options.base, token, "an apollo key");
  const overHttp = await follow(http, { id: first.taskId, after: 0 });
  checkEvents(overHttp, failures, "multipart");
  const cached = http.cache.extract()[`Task:${first.taskId}`];
  expect(cached?.status === "COMPLETED", failures, "multipart: the cache does not show the end");

  const resumed = await follow(http, { id: first.taskId, after: 2 });
  checkEvents(resumed, failures, "multipart, resumed", 2);

  const socket = createClient({ url: uri.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams: { authorization } });
  const ws = client(ApolloLink.from([new GraphQLWsLink(socket)]));
  const second = await startTask(options.base, token, "an apollo shield");
  checkEvents(await follow(ws, { id: second.taskId, after: 0 }), failures, "websocket");
  await socket.dispose();

  const stranger = await follow(http, { id: "tsk_00000000000000000000000000", after: 0 }).then(
    () => "no error",
    (error) => error.errors?.[0]?.extensions?.code ?? String(error),
  );
  expect(stranger === "NOT_FOUND", failures, `multipart: unknown task gave ${stranger}`);
});
finish({ failures });
