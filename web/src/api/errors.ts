import type { UserError } from "./types";

/** A request that could not be served; `code` is the API's `extensions.code`, or NETWORK. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** The text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong with one field of a form: `name` is the last part of the error's path. */
export function fieldError(errors: readonly UserError[], name: string): string | undefined {
  return errors.find((error) => error.path?.includes(name))?.message;
}

/** The errors that belong to none of the fields that a form shows, with the time to wait in words. */
export function generalErrors(errors: readonly UserError[], fields: readonly string[]): string[] {
  return errors
    .filter((error) => !error.path?.some((part) => fields.includes(part)))
    .map((error) => withWait(error.message, error.retryAfterSeconds));
}

export function withWait(message: string, seconds: number | null): string {
  return seconds ? `${message} (in ${seconds} s)` : message;
}
