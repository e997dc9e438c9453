import { useCallback, useEffect, useState } from "react";
import { request } from "../api/client";
import { messageOf } from "../api/errors";
import { followTask } from "../api/live";
import { TASK_DETAIL } from "../api/operations";
import type { Task, TaskDetail, TaskEvent } from "../api/types";
import { isPicture, mainAssets } from "../lib/assets";
import { type Draft, draftOf, newDraft } from "../lib/draft";
import { formatSeconds } from "../lib/format";
import { isTerminal, mergeEvents, resumePoint } from "../lib/timeline";
import { Dialog } from "./Dialog";
import { EventList, ProvenanceList, SettingsList } from "./Facts";
import { Files } from "./Files";
import { Icon } from "./icons";
import { Preview } from "./Preview";
import { QualityPanel } from "./QualityPanel";
import { StageBar } from "./StageBar";
import { StatusBadge, TaskButton } from "./TaskRow";

interface TaskDrawerProps {
  taskId: string;
  /** The last event that the page has seen of the task. */
  live: TaskEvent | undefined;
  onClose: () => void;
  onTask: (task: Task) => void;
  onDraft: (draft: Draft) => void;
}

type Loaded = { task: TaskDetail | null } | { error: unknown };

/** A task with everything known of it, and its events as they come. */
function useTask(taskId: string): { loaded: Loaded | null; events: TaskDetail["events"]; reload: () => void } {
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [live, setLive] = useState<readonly TaskDetail["events"][number][]>([]);
  const reload = useCallback(() => {
    request(TASK_DETAIL, { id: taskId }).then(setLoaded, (error: unknown) => setLoaded({ error }));
  }, [taskId]);
  useEffect(reload, [reload]);
  const task = loaded && "task" in loaded ? loaded.task : null;
  const active = task !== null && !isTerminal(task.status);
  const attempt = task?.attempt;
  const known = task ? resumePoint(task.events) : 0;
  // Followed once for each attempt; later events of the same attempt must not begin it again.
  useEffect(() => {
    if (!active) return;
    return followTask(taskId, known, {
      event: (event) => setLive((events) => mergeEvents(events, [event])),
      end: reload,
    });
  }, [active, attempt, taskId, reload]);
  return { loaded, events: [...mergeEvents(task?.events ?? [], live)], reload };
}

export function TaskDrawer({ taskId, live, onClose, onTask, onDraft }: TaskDrawerProps) {
  const { loaded, events, reload } = useTask(taskId);
  const task = loaded && "task" in loaded ? loaded.task : null;
  const changed = (next: Task) => {
    onTask(next);
    reload();
  };
  return (
    <Dialog title="Details" className="drawer" onClose={onClose}>
      {!loaded && <p className="faint">Loading …</p>}
      {loaded && "error" in loaded && (
        <p className="problem" role="alert">
          {messageOf(loaded.error)}
        </p>
      )}
      {loaded && "task" in loaded && !task && <p className="empty">This task does not exist any more.</p>}
      {task && <Details task={task} events={events} live={live} onTask={changed} onDraft={onDraft} onStale={reload} />}
    </Dialog>
  );
}

interface DetailsProps extends Pick<TaskDrawerProps, "live" | "onTask" | "onDraft"> {
  task: TaskDetail;
  events: TaskDetail["events"];
  onStale: () => void;
}

function Details({ task, events, live, onTask, onDraft, onStale }: DetailsProps) {
  const active = !isTerminal(task.status);
  const now = events.at(-1) ?? live ?? task;
  const source = mainAssets(task.assets).find(isPicture);
  const took = task.startedAt && task.finishedAt ? (Date.parse(task.finishedAt) - Date.parse(task.startedAt)) / 1000 : null;
  return (
    <div className="details">
      <p className="details-prompt" dir="auto">
        {task.prompt}
      </p>
      <div className="row wrap">
        <StatusBadge status={active ? now.status : task.status} />
        {task.degraded && <span className="badge warn">delivered below quality</span>}
        {took !== null && <span className="faint">took {formatSeconds(took)}</span>}
        <span className="grow" />
        <TaskButton task={task} onTask={onTask} />
        <button type="button" onClick={() => onDraft(draftOf(task))}>
          <Icon name="remix" /> Reuse settings
        </button>
        {source && (
          <button
            type="button"
            onClick={() => onDraft({ ...newDraft(task.assetType), prompt: task.prompt, source: { id: source.id, name: source.name } })}
          >
            <Icon name="picture" /> Start from this
          </button>
        )}
      </div>
      {active && <StageBar state={now} label="Progress" />}
      {task.error && (
        <p className="problem" dir="auto">
          {task.error.message} <code>{task.error.code}</code>
        </p>
      )}
      {task.assets.length > 0 && (
        <>
          <Preview task={task} onStale={onStale} />
          <Files assets={task.assets} />
        </>
      )}
      <QualityPanel checks={task.qualityChecks} />
      <ProvenanceList task={task} />
      <SettingsList task={task} />
      <EventList events={events} />
    </div>
  );
}
