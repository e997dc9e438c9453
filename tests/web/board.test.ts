import type { Listener } from "../../web/src/api/live";
import type { Connection, Task, TaskEvent } from "../../web/src/api/types";
import { Board, type BoardSource } from "../../web/src/lib/board";

function task(number: number, change: Partial<Task> = {}): Task {
  return {
    id: `tsk_${number}`,
    createdAt: new Date(number * 1000).toISOString(),
    status: "RUNNING",
    stage: "ASSET_GENERATOR",
    progress: 30,
    attempt: 1,
    qualityRetries: 0,
    assets: [],
    ...change,
  } as unknown as Task;
}

function event(number: number, sequence: number, change: Partial<TaskEvent> = {}): TaskEvent {
  const at = new Date(sequence * 1000).toISOString();
  const { status, stage, attempt, qualityRetries } = task(number);
  return { taskId: `tsk_${number}`, sequence, message: "", at, status, stage, attempt, qualityRetries, progress: 50, ...change };
}

/** A source with tasks that the test changes, and followers that it speaks to. */
class Source implements BoardSource {
  tasks: Task[] = [];
  readonly followers = new Map<string, { after: number | null; listener: Listener; stopped: boolean }>();

  page = async (after: string | null): Promise<Connection<Task>> => {
    const from = after === null ? 0 : this.tasks.findIndex((item) => item.id === after) + 1;
    const page = this.tasks.slice(from, from + 2);
    return {
      totalCount: this.tasks.length,
      edges: page.map((node) => ({ node })),
      pageInfo: { hasNextPage: from + 2 < this.tasks.length, endCursor: page.at(-1)?.id ?? null },
    };
  };

  task = async (id: string) => this.tasks.find((item) => item.id === id) ?? null;

  follow = (id: string, after: number | null, listener: Listener) => {
    const follower = { after, listener, stopped: false };
    this.followers.set(id, follower);
    return () => {
      follower.stopped = true;
    };
  };
}

async function opened(...tasks: Task[]) {
  const source = new Source();
  source.tasks = tasks;
  const board = new Board(source);
  await board.refresh();
  return { source, board };
}

const ids = (board: Board) => board.view().tasks.map((item) => item.id);

describe("the board of a project's tasks", () => {
  it("follows the active tasks and no others", async () => {
    const { source } = await opened(task(2), task(1, { status: "COMPLETED" }));
    expect([...source.followers.keys()]).toEqual(["tsk_2"]);
  });

  it("shows events as they come, and what was made when the task has ended", async () => {
    const { source, board } = await opened(task(1));
    const { listener } = source.followers.get("tsk_1")!;
    listener.event(event(1, 4, { progress: 70, stage: "QUALITY_SUPERVISOR" }));
    expect(board.view().tasks[0]).toMatchObject({ progress: 70, stage: "QUALITY_SUPERVISOR" });
    source.tasks = [task(1, { status: "COMPLETED", progress: 100, assets: [{ id: "ast_1" }] as Task["assets"] })];
    listener.event(event(1, 5, { progress: 100, status: "COMPLETED" }));
    listener.end();
    await vi.waitFor(() => expect(board.view().tasks[0]?.assets).toHaveLength(1));
  });

  it("is not turned back by a page that was read before the last event", async () => {
    const { source, board } = await opened(task(1));
    source.followers.get("tsk_1")!.listener.event(event(1, 9, { progress: 90 }));
    await board.refresh();
    expect(board.view().tasks[0]?.progress).toBe(90);
  });

  it("resumes after the last event when a subscription broke off", async () => {
    const { source, board } = await opened(task(1));
    const first = source.followers.get("tsk_1")!;
    first.listener.event(event(1, 6));
    first.listener.end(new Error("gone"));
    await vi.waitFor(() => expect(source.followers.get("tsk_1")).not.toBe(first));
    expect(source.followers.get("tsk_1")?.after).toBe(6);
    expect(board.view().error).toBeNull();
  });

  it("keeps older pages when the newest is read again, newest first", async () => {
    const { source, board } = await opened(task(4), task(3), task(2), task(1));
    expect(board.view().more).toBe(true);
    await board.loadMore();
    source.tasks.unshift(task(5));
    await board.refresh();
    expect(ids(board)).toEqual(["tsk_5", "tsk_4", "tsk_3", "tsk_2", "tsk_1"]);
    expect(board.view().more).toBe(false);
  });

  it("stops every subscription when it is closed, and follows nothing after", async () => {
    const { source, board } = await opened(task(1), task(2));
    board.close();
    expect([...source.followers.values()].every((follower) => follower.stopped)).toBe(true);
    board.put(task(3));
    expect(source.followers.has("tsk_3")).toBe(false);
  });

  it("shows why a page could not be read, until one can", async () => {
    const { source, board } = await opened();
    const { page } = source;
    source.page = () => Promise.reject(new Error("offline"));
    await board.refresh();
    expect(board.view().error).toEqual(new Error("offline"));
    source.page = page;
    await board.refresh();
    expect(board.view().error).toBeNull();
  });
});
