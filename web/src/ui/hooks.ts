import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { request, session } from "../api/client";
import { followTask } from "../api/live";
import { TASK_CARD, TASKS, type TaskPage } from "../api/operations";
import type { SessionUser } from "../api/session";
import { Board, type BoardView } from "../lib/board";

const PAGE_SIZE = 24;
const POLL_BOARD_MS = 5_000;

export function useUser(): SessionUser | null {
  return useSyncExternalStore(session.subscribe, () => session.user);
}

/** The part of the address after "#", split at "/": `#/projects/ID/tasks/ID`. */
export interface Route {
  projectId: string | null;
  taskId: string | null;
}

function readRoute(hash: string): Route {
  const [, projectId, taskId] = /^#\/projects\/([^/]+)(?:\/tasks\/([^/]+))?$/.exec(hash) ?? [];
  return { projectId: projectId ? decodeURIComponent(projectId) : null, taskId: taskId ? decodeURIComponent(taskId) : null };
}

export function goTo(route: Route): void {
  const { projectId, taskId } = route;
  const project = projectId ? `#/projects/${encodeURIComponent(projectId)}` : "#/";
  location.hash = taskId ? `${project}/tasks/${encodeURIComponent(taskId)}` : project;
}

const subscribeToHash = (listener: () => void) => {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
};

export function useRoute(): Route {
  return readRoute(useSyncExternalStore(subscribeToHash, () => location.hash));
}

/** Call `work` now and then while the page is visible, and at once when it becomes visible again. */
export function usePolling(work: () => void, everyMs: number): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const run = () => {
      if (!document.hidden) latest.current();
    };
    run();
    const timer = setInterval(run, everyMs);
    document.addEventListener("visibilitychange", run);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", run);
    };
  }, [everyMs]);
}

/** The tasks of a project that match a filter, live. A null project shows nothing and asks for nothing. */
export function useBoard(projectId: string | null, filter: TaskPage["filter"]): { board: Board | null; view: BoardView | null } {
  const key = JSON.stringify(filter);
  const [board, setBoard] = useState<Board | null>(null);
  useEffect(() => {
    if (!projectId) {
      setBoard(null);
      return;
    }
    const opened = new Board({
      page: async (after) => {
        const variables = { projectId, first: PAGE_SIZE, after, filter: JSON.parse(key) as TaskPage["filter"] };
        const { project } = await request(TASKS, variables);
        if (!project) throw new Error("This project does not exist any more.");
        return project.tasks;
      },
      task: async (id) => (await request(TASK_CARD, { id })).task,
      follow: followTask,
    });
    setBoard(opened);
    return () => opened.close();
  }, [projectId, key]);
  usePolling(
    useCallback(() => void board?.refresh(), [board]),
    POLL_BOARD_MS,
  );
  // A fresh board is read at once, not at the next tick of the poll.
  useEffect(() => void board?.refresh(), [board]);
  const view = useSyncExternalStore(board?.subscribe ?? subscribeToNothing, board?.view ?? viewOfNothing);
  return { board, view };
}

const subscribeToNothing = () => () => {};
const viewOfNothing = () => null;

/** The inner size of an element, in CSS pixels. */
export function useSize(ref: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}

function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

export function useMovement(): boolean {
  return !useMedia("(prefers-reduced-motion: reduce)");
}

/** Now, as it goes by, in steps of a second; stands still while `running` is false. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
