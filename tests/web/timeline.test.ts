import type { TaskState } from "../../web/src/api/types";
import { isLater, mergeEvents, resumePoint } from "../../web/src/lib/timeline";

const numbers = (events: readonly { sequence: number }[]) => events.map((event) => event.sequence);
const of = (...sequences: number[]) => sequences.map((sequence) => ({ sequence }));

describe("events of a task", () => {
  it("are put in order, each once", () => {
    expect(numbers(mergeEvents(of(1, 2, 5), of(4, 2, 3, 4)))).toEqual([1, 2, 3, 4, 5]);
  });

  it("stay the same list when nothing is new, so that nothing is drawn again", () => {
    const known = of(1, 2);
    expect(mergeEvents(known, of(2, 1))).toBe(known);
  });

  it("end up the same in whatever order and however often they come", () => {
    const events = of(1, 2, 3, 4, 5, 6);
    let shuffled: readonly { sequence: number }[] = [];
    for (const index of [5, 0, 3, 3, 1, 4, 0, 2]) shuffled = mergeEvents(shuffled, [events[index]!]);
    expect(shuffled).toEqual(events);
  });

  it.each([
    [[], 0],
    [[1, 2, 3], 3],
    [[1, 2, 4], 2],
    [[2, 3], 0],
  ])("resume after the last one without a gap before it: %j", (sequences, expected) => {
    expect(resumePoint(of(...sequences))).toBe(expected);
  });
});

describe("which of two states of a task is the later one", () => {
  const state = (change: Partial<TaskState>): TaskState => ({
    status: "RUNNING",
    stage: "ASSET_GENERATOR",
    progress: 40,
    attempt: 1,
    qualityRetries: 0,
    ...change,
  });

  it("is the one with more progress within an attempt", () => {
    expect(isLater(state({ progress: 60 }), state({}))).toBe(true);
    expect(isLater(state({ progress: 20 }), state({}))).toBe(false);
  });

  it("is the ended one, wherever its progress stopped", () => {
    expect(isLater(state({ status: "CANCELLED", progress: 10 }), state({}))).toBe(true);
    expect(isLater(state({ progress: 99 }), state({ status: "CANCELLED", progress: 10 }))).toBe(false);
  });

  it("is that of the newer attempt, which starts again from nothing", () => {
    expect(isLater(state({ status: "PENDING", attempt: 2, progress: 0 }), state({ status: "FAILED" }))).toBe(true);
    expect(isLater(state({ status: "FAILED" }), state({ status: "PENDING", attempt: 2, progress: 0 }))).toBe(false);
  });
});
