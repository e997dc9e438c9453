// Progress over one WebSocket (graphql-transport-ws), opened with the first subscription and closed after the last.

import { type Client, createClient } from "graphql-ws";
import { ENDPOINT, session } from "./client";
import { TASK_PROGRESS } from "./operations";
import type { TaskEvent } from "./types";

/** The server closes with this when a token has expired or was withdrawn. */
const FORBIDDEN = 4403;
const PING_EVERY_MS = 20_000;

let lastToken: string | null = null;
let refused = false;

function socketAddress(): string {
  const address = new URL(ENDPOINT, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return address.href;
}

/** Evaluated at every connect, so that a reconnect after a token's end carries the next token. */
async function connectionParams(): Promise<Record<string, unknown>> {
  lastToken = refused && lastToken !== null ? await session.renewed(lastToken) : await session.accessToken();
  refused = false;
  return lastToken ? { Authorization: `Bearer ${lastToken}` } : {};
}

const client: Client = createClient({
  url: socketAddress(),
  connectionParams,
  keepAlive: PING_EVERY_MS,
  retryAttempts: Number.POSITIVE_INFINITY,
  on: {
    closed: (event) => {
      refused = (event as CloseEvent).code === FORBIDDEN;
    },
  },
});

export interface Listener {
  event(event: TaskEvent): void;
  /** After the terminal event, or with the reason when the server or the connection gave up. */
  end(error?: unknown): void;
}

/**
 * Follow a task from where it stands now, or from the event after `after` on; returns how to stop. Every event comes once
 * and in order, across reconnects too: `variables.after` is read again each time the operation is sent.
 */
export function followTask(taskId: string, after: number | null, listener: Listener): () => void {
  let last = after;
  const variables = {
    taskId,
    get after() {
      return last;
    },
  };
  return client.subscribe<{ taskProgress: TaskEvent }>(
    { query: TASK_PROGRESS.document, variables },
    {
      next: ({ data, errors }) => {
        if (errors?.[0]) listener.end(new Error(errors[0].message));
        const event = data?.taskProgress;
        if (!event || (last !== null && event.sequence <= last)) return;
        last = event.sequence;
        listener.event(event);
      },
      error: (error) => listener.end(error),
      complete: () => listener.end(),
    },
  );
}
