// How GraphiQL reaches the API: queries and mutations by POST, subscriptions by graphql-transport-ws at the same address.

import { getOperationAST, parse } from "graphql";
import { createClient, type FormattedExecutionResult } from "graphql-ws";
import type { GraphiQL } from "graphiql";
import type { ComponentProps } from "react";
import { recordEnd, recordEvent, recordStart } from "./events";

type Fetcher = ComponentProps<typeof GraphiQL>["fetcher"];
type Headers_ = Record<string, unknown>;
type Result = FormattedExecutionResult<Record<string, unknown>, unknown> | { errors: { message: string }[] };
interface Parameters_ {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown>;
}

/** Headers of the last run, without those that the editor holds empty. */
let headers: Record<string, string> = {};

function filledIn(given: Headers_ | undefined): Record<string, string> {
  const entries = Object.entries(given ?? {}).filter(([, value]) => typeof value === "string" && value.trim() !== "");
  return Object.fromEntries(entries) as Record<string, string>;
}

function isSubscription({ query, operationName }: Parameters_): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === "subscription";
  } catch {
    // A document that cannot be parsed goes to the server, whose message is the one to show.
    return false;
  }
}

async function post(endpoint: string, parameters: Parameters_): Promise<unknown> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/graphql-response+json, application/json;q=0.9",
      ...headers,
    },
    body: JSON.stringify(parameters),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `Status ${response.status} and no GraphQL result.`, body: text.slice(0, 2000) }] };
  }
}

/**
 * One socket for each subscription, so that it always carries the headers of now: they are the connection_init payload,
 * read again at every reconnect.
 */
async function* subscribe(endpoint: string, parameters: Parameters_): AsyncGenerator<Result> {
  const address = new URL(endpoint, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const client = createClient({ url: address.href, lazy: true, connectionParams: () => ({ ...headers }) });
  recordStart(parameters.operationName ?? "subscription");
  try {
    const results = client.iterate({
      query: parameters.query,
      ...(parameters.operationName ? { operationName: parameters.operationName } : {}),
      ...(parameters.variables ? { variables: parameters.variables } : {}),
    });
    for await (const result of results) {
      recordEvent(result);
      yield result;
    }
    recordEnd("complete");
  } catch (error) {
    const failure = failureOf(error);
    recordEnd(failure.errors[0]?.message ?? "failed");
    yield failure;
  } finally {
    recordEnd("stopped");
    await client.dispose();
  }
}

/** What ends a subscription is a list of GraphQL errors, a close event of the socket, or an exception. */
function failureOf(error: unknown): { errors: { message: string }[] } {
  if (Array.isArray(error)) return { errors: error as { message: string }[] };
  if (error instanceof CloseEvent) return { errors: [{ message: `Closed by the server: ${error.code} ${error.reason}` }] };
  return { errors: [{ message: error instanceof Error ? error.message : "The connection was lost." }] };
}

export function createFetcher(endpoint: string): Fetcher {
  return (parameters, options) => {
    headers = filledIn(options?.headers);
    return (isSubscription(parameters) ? subscribe(endpoint, parameters) : post(endpoint, parameters)) as ReturnType<Fetcher>;
  };
}
