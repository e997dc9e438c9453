// The one connection to the API that the dashboard uses.

import { ApiError } from "./errors";
import { post } from "./http";
import { type Operation, REFRESH_SESSION } from "./operations";
import { Session } from "./session";

export const ENDPOINT = "/graphql";

export const session = new Session(async (token) => {
  return (await post(ENDPOINT, REFRESH_SESSION, { token }, null)).refreshSession;
}, sessionStorage);

/** Send an operation as whoever is signed in. A token that the server no longer takes is renewed once. */
export async function request<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const token = await session.accessToken();
  try {
    return await post(ENDPOINT, operation, variables, token, signal);
  } catch (error) {
    if (!token || !(error instanceof ApiError) || error.code !== "UNAUTHENTICATED") throw error;
    const renewed = await session.renewed(token);
    if (!renewed) throw error;
    return post(ENDPOINT, operation, variables, renewed, signal);
  }
}
