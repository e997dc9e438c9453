// The events of the last subscription: GraphiQL's result pane shows only the newest one.

export interface Recorded {
  number: number;
  atMs: number;
  result: unknown;
}

export interface Recording {
  name: string;
  /** Null while it runs, then how it ended. */
  end: string | null;
  events: readonly Recorded[];
  /** How many older ones were dropped. */
  dropped: number;
}

/** A stream may run for days; the page keeps the newest of its events. */
const MAX_EVENTS = 500;
let recording: Recording | null = null;
const listeners = new Set<() => void>();

function set(next: Recording | null): void {
  recording = next;
  for (const listener of listeners) listener();
}

export function recordStart(name: string): void {
  set({ name, end: null, events: [], dropped: 0 });
}

export function recordEvent(result: unknown): void {
  if (!recording) return;
  const number = recording.dropped + recording.events.length + 1;
  const events = [...recording.events, { number, atMs: Date.now(), result }].slice(-MAX_EVENTS);
  set({ ...recording, events, dropped: number - events.length });
}

/** The first reason counts: closing the socket after the end is no other end. */
export function recordEnd(reason: string): void {
  if (recording && recording.end === null) set({ ...recording, end: reason });
}

export const subscribeToRecording = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const currentRecording = () => recording;
