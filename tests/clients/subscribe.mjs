// Follow a task with graphql-ws and print its events as one JSON document.
//
//   node subscribe.mjs --base http://127.0.0.1:8000 --token TOKEN --task TASK_ID [--after SEQUENCE]
//
// Without --task a sprite is asked for; without --token the account of --email and --password is used, and made when new.

import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { startTask, tokenFor } from "./lib/api.mjs";
import { finish, readOptions } from "./lib/options.mjs";

const QUERY = `subscription($taskId: ID!, $after: Int) { taskProgress(taskId: $taskId, after: $after) {
  taskId sequence status stage progress message attempt qualityRetries at } }`;
const TERMINAL = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"];

const options = readOptions({
  base: null,
  token: "",
  email: "clients@example.com",
  password: "clients password",
  task: "",
  after: "",
  "timeout-seconds": "120",
});
const failures = [];
const events = [];

try {
  const token = await tokenFor(options.base, options);
  const taskId = options.task || (await startTask(options.base, token)).taskId;
  let last = options.after === "" ? null : Number(options.after);
  const url = new URL("/graphql", options.base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const client = createClient({
    url: url.href,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
  });
  // The operation is sent again after a reconnect, with `after` as it is then.
  const variables = { taskId, get after() { return last; } };
  const limit = setTimeout(() => {
    failures.push(`not ended within ${options["timeout-seconds"]} s`);
    finish({ taskId, events, failures });
  }, Number(options["timeout-seconds"]) * 1000);
  for await (const { data, errors } of client.iterate({ query: QUERY, variables })) {
    if (errors) throw new Error(errors.map((error) => error.message).join("; "));
    const event = data.taskProgress;
    if (last !== null && event.sequence !== last + 1) failures.push(`event ${event.sequence} came after ${last}`);
    last = event.sequence;
    events.push(event);
  }
  clearTimeout(limit);
  await client.dispose();
  if (!TERMINAL.includes(events.at(-1)?.status)) failures.push("completed without a terminal event");
  finish({ taskId, events, failures });
} catch (error) {
  failures.push(Array.isArray(error) ? error.map((item) => item.message).join("; ") : String(error.reason ?? error.message ?? error));
  finish({ taskId: options.task, events, failures });
}
