import { useSyncExternalStore } from "react";
import { ApiError, messageOf, withWait } from "../api/errors";
import { Icon } from "./icons";

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 8_000;
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Say something that belongs to no form; the same text is not said twice at a time. */
export function toast(text: string): void {
  if (toasts.some((shown) => shown.text === text)) return;
  count += 1;
  const id = count;
  set([...toasts, { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Say what went wrong with a request. */
export function report(error: unknown): void {
  toast(error instanceof ApiError ? withWait(error.message, error.retryAfterSeconds) : messageOf(error));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          <Icon name="alert" />
          <p dir="auto">{text}</p>
          <button type="button" className="quiet square" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
