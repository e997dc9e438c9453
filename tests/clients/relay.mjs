// Relay: the schema compiles with relay-compiler, and the runtime paginates, mutates and follows a task into its store.
//
//   node relay.mjs --base http://127.0.0.1:8000

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { createClient } from "graphql-ws";
import relay from "relay-runtime";
import WebSocket from "ws";
import { send, tokenFor } from "./lib/api.mjs";
import { finish, readOptions } from "./lib/options.mjs";
import { checkEvents, expect, within } from "./lib/steps.mjs";

const { Environment, Network, Observable, RecordSource, Store, commitMutation, createOperationDescriptor, fetchQuery } = relay;
const options = readOptions({ base: null, token: "", email: "relay@example.com", password: "clients password" });
const failures = [];
const compiler = createRequire(import.meta.url).resolve("relay-compiler/cli.js");

async function generated(name) {
  return (await import(`./relay/__generated__/${name}.graphql.js`)).default;
}

await within(100, failures, async () => {
  mkdirSync("relay/__generated__", { recursive: true });
  execFileSync(process.execPath, [compiler, "relay/relay.config.json"], { stdio: "pipe" });
  const token = await tokenFor(options.base, options);
  const authorization = `Bearer ${token}`;
  const url = new URL("/graphql", options.base).href;
  const socket = createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams: { authorization } });
  const ask = async (operation, variables) => {
    const body = JSON.stringify({ query: operation.text, variables });
    const headers = { "content-type": "application/json", authorization };
    return (await fetch(url, { method: "POST", headers, body })).json();
  };
  const subscribe = (operation, variables) =>
    Observable.create((sink) => socket.subscribe({ operationName: operation.name, query: operation.text, variables }, sink));
  const environment = new Environment({ network: Network.create(ask, subscribe), store: new Store(new RecordSource()) });

  const { createProject } = await send(
    options.base,
    'mutation { createProject(input: { name: "Relay" }) { project { id } } }',
    {},
    token,
  );
  const projectId = createProject.project.id;
  const mutation = await generated("operationsGenerateMutation");
  const generate = (prompt) =>
    new Promise((resolve, reject) => {
      const variables = { input: { projectId, prompt, assetType: "ICON" } };
      commitMutation(environment, { mutation, variables, onCompleted: resolve, onError: reject });
    });
  const { task } = (await generate("a relay key")).generate;
  await generate("a relay shield");
  expect(environment.getStore().getSource().get(task.id)?.prompt === "a relay key", failures, "mutation: not in the store");

  const query = await generated("operationsProjectQuery");
  const page = await fetchQuery(environment, query, { id: projectId }).toPromise();
  expect(page.gone === null && page.nodes[1] === null && page.nodes[0].id === projectId, failures, "node and nodes are not nullable");
  const refetch = await generated("operationsProjectRefetchQuery");
  const prompts = [];
  let cursor = null;
  for (let pages = 0; pages < 5; pages += 1) {
    const text = await ask({ text: refetch.params.text }, { id: projectId, count: 1, cursor });
    const { edges, pageInfo } = text.data.node.tasks;
    prompts.push(...edges.map((edge) => edge.node.prompt));
    if (!pageInfo.hasNextPage) break;
    cursor = pageInfo.endCursor;
  }
  expect(prompts.join() === "a relay shield,a relay key", failures, `pages: ${prompts}`);

  const subscription = await generated("operationsFollowSubscription");
  const events = await new Promise((resolve, reject) => {
    const seen = [];
    relay.requestSubscription(environment, {
      subscription,
      variables: { id: task.id, after: 0 },
      onNext: (data) => seen.push(data.taskProgress),
      onError: reject,
      onCompleted: () => resolve(seen),
    });
  });
  checkEvents(events, failures, "subscription");
  const descriptor = createOperationDescriptor(subscription, { id: task.id, after: 0 });
  expect(Boolean(environment.lookup(descriptor.fragment)), failures, "subscription: nothing in the store");
  expect(environment.getStore().getSource().get(task.id)?.status === "COMPLETED", failures, "the store does not show the end");
  await socket.dispose();
});
finish({ failures });
