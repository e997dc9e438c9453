import { useState } from "react";
import { request } from "../api/client";
import { CANCEL_TASK, RETRY_TASK } from "../api/operations";
import type { Task, TaskEvent, TaskStatus } from "../api/types";
import { ASSET_TYPES } from "../lib/draft";
import { formatSeconds, humanize } from "../lib/format";
import { isTerminal } from "../lib/timeline";
import { useNow } from "./hooks";
import { Icon, TypeIcon } from "./icons";
import { StageBar } from "./StageBar";
import { report, toast } from "./Toasts";

interface TaskRowProps {
  task: Task;
  event: TaskEvent | undefined;
  onOpen: (taskId: string) => void;
  onTask: (task: Task) => void;
}

export function StatusBadge({ status }: { status: TaskStatus }) {
  return <span className={`badge status-${status.toLowerCase()}`}>{humanize(status)}</span>;
}

export function TaskRow({ task, event, onOpen, onTask }: TaskRowProps) {
  const ended = isTerminal(task.status);
  return (
    <li className="task" data-status={task.status}>
      <span className="task-icon">
        {!ended && event?.task?.preview ? (
          <img className="task-preview" src={event.task.preview} alt={`What there is of ${task.prompt} so far`} />
        ) : (
          <TypeIcon type={task.assetType} size={24} />
        )}
      </span>
      <div className="task-body">
        <div className="task-line">
          <button type="button" className="task-prompt" dir="auto" onClick={() => onOpen(task.id)}>
            {task.prompt}
          </button>
          <StatusBadge status={task.status} />
        </div>
        {ended ? (
          <p className="task-message" dir="auto">
            {task.error?.message ?? event?.message ?? `${ASSET_TYPES[task.assetType].label}, attempt ${task.attempt}`}
          </p>
        ) : (
          <>
            <StageBar state={task} label={`Progress of ${task.prompt}`} />
            <Live task={task} event={event} />
          </>
        )}
      </div>
      <TaskButton task={task} onTask={onTask} />
    </li>
  );
}

/** What happens now, how often it was tried, and for how long it has been going on. */
function Live({ task, event }: Pick<TaskRowProps, "task" | "event">) {
  const now = useNow(true);
  const since = Date.parse(task.startedAt ?? task.createdAt);
  const place = task.status === "PENDING" && task.queuePosition ? `number ${task.queuePosition} in the queue` : null;
  return (
    <p className="task-message">
      <span aria-live="polite" dir="auto">
        {place ?? event?.message ?? "waiting"}
      </span>
      {task.attempt > 1 && <span className="badge">attempt {task.attempt}</span>}
      {task.qualityRetries > 0 && <span className="badge warn">quality retry {task.qualityRetries} of 3</span>}
      <span className="task-time">
        {Math.round(task.progress)} % · {formatSeconds(Math.max(0, (now - since) / 1000))}
      </span>
    </p>
  );
}

/** Cancel while it is active, try again when it ended without a result. */
export function TaskButton({ task, onTask }: { task: Pick<Task, "id" | "status">; onTask: (task: Task) => void }) {
  const [busy, setBusy] = useState(false);
  if (task.status === "COMPLETED") return null;
  const active = !isTerminal(task.status);
  const act = async () => {
    setBusy(true);
    try {
      const { id } = task;
      const payload = active ? (await request(CANCEL_TASK, { id })).cancelTask : (await request(RETRY_TASK, { id })).retryTask;
      if (payload.task) onTask(payload.task);
      for (const error of payload.errors) toast(error.message);
    } catch (error) {
      report(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="task-act" disabled={busy} onClick={() => void act()}>
      <Icon name={active ? "stop" : "retry"} />
      {active ? "Cancel" : "Try again"}
    </button>
  );
}
