import { ApiError } from "./errors";
import type { Operation } from "./operations";

interface GraphQLFailure {
  message: string;
  extensions?: { code?: string; retryAfterSeconds?: number };
}
interface Answer<Data> {
  data?: Data | null;
  errors?: GraphQLFailure[];
}

/** Send one operation; throws `ApiError` when the request could not be served. */
export async function post<Data, Variables>(
  endpoint: string,
  operation: Operation<Data, Variables>,
  variables: Variables,
  token: string | null,
  signal?: AbortSignal,
): Promise<Data> {
  const headers: Record<string, string> = { accept: "application/graphql-response+json, application/json;q=0.9" };
  if (token) headers.authorization = `Bearer ${token}`;
  const body = bodyOf(operation.document, variables);
  // The browser itself names the boundary of a form's parts.
  if (typeof body === "string") headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(endpoint, { method: "POST", headers, body, ...(signal ? { signal } : {}) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("NETWORK", "The server cannot be reached. Check that it runs, then try again.");
  }
  return unwrap<Data>(response.status, await readAnswer<Data>(response));
}

/** JSON, or a form when a variable is a file: https://github.com/jaydenseric/graphql-multipart-request-spec. */
export function bodyOf(query: string, variables: unknown): string | FormData {
  const file = typeof variables === "object" && variables !== null && "file" in variables ? variables.file : null;
  if (!(file instanceof Blob)) return JSON.stringify({ query, variables });
  const form = new FormData();
  form.append("operations", JSON.stringify({ query, variables: { ...(variables as object), file: null } }));
  form.append("map", JSON.stringify({ 0: ["variables.file"] }));
  form.append("0", file);
  return form;
}

async function readAnswer<Data>(response: Response): Promise<Answer<Data>> {
  try {
    return (await response.json()) as Answer<Data>;
  } catch {
    // A proxy's error page, most likely.
    throw new ApiError("NETWORK", `The server answered with status ${response.status} and no GraphQL result.`);
  }
}

function unwrap<Data>(status: number, answer: Answer<Data>): Data {
  const [first] = answer.errors ?? [];
  if (first) {
    const { code = "INTERNAL", retryAfterSeconds = null } = first.extensions ?? {};
    throw new ApiError(code, first.message, retryAfterSeconds);
  }
  if (!answer.data) throw new ApiError("INTERNAL", `The server answered with status ${status} and no data.`);
  return answer.data;
}
