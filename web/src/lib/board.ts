// The tasks of one project as the page shows them: pages from the server, kept current by events and by polling.

import type { Listener } from "../api/live";
import type { Connection, Task, TaskEvent } from "../api/types";
import { isLater, isTerminal, withEvent } from "./timeline";

export interface BoardSource {
  page(after: string | null): Promise<Connection<Task>>;
  task(id: string): Promise<Task | null>;
  follow(taskId: string, after: number | null, listener: Listener): () => void;
}

export interface BoardView {
  tasks: readonly Task[];
  /** The last event of each task that was followed. */
  events: ReadonlyMap<string, TaskEvent>;
  loaded: boolean;
  more: boolean;
  error: unknown;
}

/** A server takes 20 operations on one socket; tasks beyond these are brought up to date by polling. */
const MAX_FOLLOWED = 12;
const EMPTY: BoardView = { tasks: [], events: new Map(), loaded: false, more: false, error: null };

export class Board {
  #view: BoardView = EMPTY;
  #cursor: string | null = null;
  #closed = false;
  readonly #following = new Map<string, () => void>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly source: BoardSource) {}

  readonly view = (): BoardView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Read the newest page again; pages that were loaded before stay. */
  async refresh(): Promise<void> {
    await this.#read(null);
  }

  async loadMore(): Promise<void> {
    if (this.#view.more) await this.#read(this.#cursor);
  }

  /** Show a task as a mutation answered it, or one that is new. */
  put(...tasks: Task[]): void {
    const merged = new Map(this.#view.tasks.map((task) => [task.id, task]));
    for (const task of tasks) {
      const known = merged.get(task.id);
      // A page that was on its way while events came must not turn the clock back.
      if (!known || isLater(task, known)) merged.set(task.id, task);
    }
    const ordered = [...merged.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id));
    this.#show({ tasks: ordered });
    this.#followActive();
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#following.values()) stop();
    this.#following.clear();
  }

  /** Read one task again, with its files: after its end, or when a signed address has expired. */
  async reload(id: string): Promise<void> {
    try {
      const task = await this.source.task(id);
      if (task && !this.#closed) this.put(task);
    } catch (error) {
      this.#show({ error });
    }
  }

  async #read(after: string | null): Promise<void> {
    try {
      const page = await this.source.page(after);
      if (this.#closed) return;
      if (after !== null || !this.#view.loaded) {
        this.#cursor = page.pageInfo.endCursor;
        this.#show({ more: page.pageInfo.hasNextPage });
      }
      this.#show({ loaded: true, error: null });
      this.put(...page.edges.map((edge) => edge.node));
    } catch (error) {
      if (!this.#closed) this.#show({ error, loaded: true });
    }
  }

  #followActive(): void {
    if (this.#closed) return;
    for (const task of this.#view.tasks) {
      if (this.#following.size >= MAX_FOLLOWED) return;
      if (!isTerminal(task.status) && !this.#following.has(task.id)) this.#follow(task.id);
    }
  }

  #follow(id: string): void {
    const last = this.#view.events.get(id)?.sequence ?? null;
    const stop = this.source.follow(id, last, {
      event: (event) => this.#apply(event),
      end: () => {
        // Ended for whatever reason: if the task is still active, the next poll follows it again.
        this.#following.delete(id);
        void this.reload(id);
      },
    });
    this.#following.set(id, stop);
  }

  #apply(event: TaskEvent): void {
    const events = new Map(this.#view.events).set(event.taskId, event);
    const tasks = this.#view.tasks.map((task) => (task.id === event.taskId ? withEvent(task, event) : task));
    this.#show({ events, tasks });
  }

  #show(change: Partial<BoardView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}
