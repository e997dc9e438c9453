// A task's events as every client should see them.

export const TERMINAL = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"];

/** Check that events count on from `after` without a gap and end with a terminal one; adds what is wrong to `failures`. */
export function checkEvents(events, failures, who, after = 0) {
  let last = after;
  for (const event of events) {
    if (event.sequence !== last + 1) failures.push(`${who}: event ${event.sequence} came after ${last}`);
    last = event.sequence;
  }
  if (!TERMINAL.includes(events.at(-1)?.status)) failures.push(`${who}: ended without a terminal event`);
}

/** Add a failure unless the condition holds. */
export function expect(condition, failures, message) {
  if (!condition) failures.push(message);
}

/** Run the script's body: a failure of any kind becomes one of its failures; never longer than so many seconds. */
export async function within(seconds, failures, body) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not ended within ${seconds} s`)), seconds * 1000);
  });
  try {
    await Promise.race([body(), limit]);
  } catch (error) {
    failures.push(String(error?.stack ?? error?.reason ?? JSON.stringify(error)));
  } finally {
    clearTimeout(timer);
  }
}
