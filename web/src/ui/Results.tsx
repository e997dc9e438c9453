import { useDeferredValue, useState } from "react";
import type { AssetType, Task } from "../api/types";
import type { Board, BoardView } from "../lib/board";
import { ASSET_TYPE_NAMES, ASSET_TYPES } from "../lib/draft";
import { isTerminal } from "../lib/timeline";
import { messageOf } from "../api/errors";
import { AssetCard } from "./AssetCard";
import { useBoard } from "./hooks";
import { Icon } from "./icons";
import { TaskRow } from "./TaskRow";

interface ResultsProps {
  projectId: string;
  board: Board;
  view: BoardView;
  onOpen: (taskId: string) => void;
  onTask: (task: Task) => void;
}

/** How many ended tasks without a result are shown; the others are in the API. */
const MAX_STOPPED = 6;

export function Results({ projectId, board, view, onOpen, onTask }: ResultsProps) {
  const active = view.tasks.filter((task) => !isTerminal(task.status)).reverse();
  const stopped = view.tasks.filter((task) => isTerminal(task.status) && task.status !== "COMPLETED").slice(0, MAX_STOPPED);
  return (
    <div className="results">
      {active.length > 0 && (
        <section aria-label="In progress">
          <h2>
            In progress <span className="count">{active.length}</span>
          </h2>
          <ul className="task-list">
            {active.map((task) => (
              <TaskRow key={task.id} task={task} event={view.events.get(task.id)} onOpen={onOpen} onTask={onTask} />
            ))}
          </ul>
        </section>
      )}
      <Gallery projectId={projectId} board={board} view={view} onOpen={onOpen} busy={active.length > 0} />
      {stopped.length > 0 && (
        <section aria-label="Without a result">
          <h2>Without a result</h2>
          <ul className="task-list">
            {stopped.map((task) => (
              <TaskRow key={task.id} task={task} event={view.events.get(task.id)} onOpen={onOpen} onTask={onTask} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

type GalleryProps = Omit<ResultsProps, "onTask"> & { busy: boolean };

function Gallery({ projectId, board, view, onOpen, busy }: GalleryProps) {
  const [type, setType] = useState<AssetType | "">("");
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const filter = type || wanted ? { status: ["COMPLETED"], ...(type ? { assetType: [type] } : {}), ...(wanted ? { search: wanted } : {}) } : null;
  const found = useBoard(filter ? projectId : null, filter);
  const shown = filter ? found.view : view;
  const source = filter ? found.board : board;
  const done = shown?.tasks.filter((task) => task.status === "COMPLETED") ?? [];
  return (
    <section aria-label="Assets">
      <div className="gallery-head">
        <h2>Assets</h2>
        <label className="search">
          <Icon name="search" />
          <span className="hidden">Search prompts</span>
          <input type="search" dir="auto" placeholder="Search prompts" maxLength={200} value={search} onChange={(event) => setSearch(event.target.value)} />
        </label>
        <label>
          <span className="hidden">Asset type</span>
          <select value={type} onChange={(event) => setType(event.target.value as AssetType | "")}>
            <option value="">All types</option>
            {ASSET_TYPE_NAMES.map((name) => (
              <option key={name} value={name}>
                {ASSET_TYPES[name].label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown?.error != null && (
        <p className="problem" role="alert">
          {messageOf(shown.error)}
        </p>
      )}
      {shown && !shown.loaded && <p className="faint">Loading …</p>}
      {shown?.loaded && done.length === 0 && <Nothing filtered={filter !== null} busy={busy} />}
      <ul className="gallery">
        {done.map((task) => (
          <AssetCard key={task.id} task={task} onOpen={onOpen} onStale={() => void source?.reload(task.id)} />
        ))}
      </ul>
      {shown?.more && (
        <button type="button" className="more" onClick={() => void source?.loadMore()}>
          Show older
        </button>
      )}
    </section>
  );
}

function Nothing({ filtered, busy }: { filtered: boolean; busy: boolean }) {
  const text = filtered
    ? "Nothing matches. Try other words or another type."
    : busy
      ? "Your first asset appears here when it is done."
      : "Nothing here yet. Describe an asset, then press Generate.";
  return <p className="empty">{text}</p>;
}
