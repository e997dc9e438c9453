// Events of a task: kept in order, without gaps or doubles, whatever the connection did in between.

import type { Task, TaskEvent, TaskState, TaskStatus } from "../api/types";

interface Sequenced {
  sequence: number;
}

const TERMINAL: readonly TaskStatus[] = ["COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"];

export function isTerminal(status: TaskStatus): boolean {
  return TERMINAL.includes(status);
}

/** Put events into their places; one that is already there stays as it is. The list is a new one only when it changed. */
export function mergeEvents<Event extends Sequenced>(known: readonly Event[], incoming: readonly Event[]): readonly Event[] {
  const seen = new Set(known.map((event) => event.sequence));
  const fresh: Event[] = [];
  for (const event of incoming) {
    if (seen.has(event.sequence)) continue;
    seen.add(event.sequence);
    fresh.push(event);
  }
  return fresh.length === 0 ? known : [...known, ...fresh].sort((a, b) => a.sequence - b.sequence);
}

/** The sequence up to which every event is there, to resume after; 0 when even the first is missing. */
export function resumePoint(events: readonly Sequenced[]): number {
  let last = 0;
  for (const { sequence } of events) {
    if (sequence !== last + 1) break;
    last = sequence;
  }
  return last;
}

/** Whether `next` tells of a later moment of the task than `state`. Progress never falls within one attempt. */
export function isLater(next: TaskState, state: TaskState): boolean {
  if (next.attempt !== state.attempt) return next.attempt > state.attempt;
  if (isTerminal(next.status) !== isTerminal(state.status)) return isTerminal(next.status);
  return next.progress >= state.progress;
}

/** The task with what an event says of it, unless the task was read after that event. */
export function withEvent(task: Task, event: TaskEvent | undefined): Task {
  if (!event || !isLater(event, task)) return task;
  const { status, stage, progress, attempt, qualityRetries } = event;
  return { ...task, status, stage, progress, attempt, qualityRetries };
}
