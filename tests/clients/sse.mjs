// graphql-sse: queries, mutations and subscriptions as distinct connections of server-sent events.
//
//   node sse.mjs --base http://127.0.0.1:8000

import { createClient } from "graphql-sse";
import { startTask, tokenFor } from "./lib/api.mjs";
import { finish, readOptions } from "./lib/options.mjs";
import { checkEvents, expect, within } from "./lib/steps.mjs";

const options = readOptions({ base: null, token: "", email: "sse@example.com", password: "clients password" });
const failures = [];
const url = new URL("/graphql", options.base).href;
const SUBSCRIPTION = "subscription($id: ID!, $after: Int) { taskProgress(taskId: $id, after: $after) { sequence status } }";

async function collect(client, request, most = Infinity) {
  const results = [];
  for await (const result of client.iterate(request)) {
    if (result.errors) throw new Error(JSON.stringify(result.errors));
    results.push(result.data);
    if (results.length >= most) break;
  }
  return results;
}

await within(100, failures, async () => {
  const token = await tokenFor(options.base, options);
  const client = createClient({ url, headers: { authorization: `Bearer ${token}` }, retryAttempts: 0 });
  const [{ me }] = await collect(client, { query: "{ me { email } }" });
  expect(me.email === options.email, failures, "query: wrong user");
  const made = await collect(client, { query: 'mutation { createProject(input: { name: "SSE" }) { project { id } } }' });
  expect(made.length === 1 && made[0].createProject.project.id, failures, "mutation: not one result");

  const first = await startTask(options.base, token, "an sse key");
  const variables = { id: first.taskId, after: 0 };
  const some = (await collect(client, { query: SUBSCRIPTION, variables }, 2)).map((data) => data.taskProgress);
  const rest = (await collect(client, { query: SUBSCRIPTION, variables: { ...variables, after: 2 } })).map(
    (data) => data.taskProgress,
  );
  checkEvents([...some, ...rest], failures, "left after two events and resumed");

  const refused = createClient({ url, headers: { authorization: "Bearer nonsense" }, retryAttempts: 0 });
  const outcome = await collect(refused, { query: SUBSCRIPTION, variables }).then(() => "accepted", String);
  expect(outcome !== "accepted", failures, "a bad token was accepted");
  client.dispose();
});
finish({ failures });
