import { useState } from "react";
import { request, session } from "../api/client";
import { LOG_OUT, QUEUE_STATS } from "../api/operations";
import type { SessionUser } from "../api/session";
import type { QueueStats } from "../api/types";
import { formatPercent, formatSeconds } from "../lib/format";
import { usePolling } from "./hooks";
import { Icon, Mark } from "./icons";
import { useTheme } from "./theme";
import { report } from "./Toasts";

const POLL_STATS_MS = 4_000;
const THEME_ICONS = { system: "auto", dark: "moon", light: "sun" } as const;

export function TopBar({ user }: { user: SessionUser }) {
  const [theme, nextTheme] = useTheme();
  const logOut = () => {
    // Signed out here whatever the server says: the tokens are forgotten.
    request(LOG_OUT, {})
      .catch(report)
      .finally(() => session.end());
  };
  return (
    <header className="topbar">
      <a className="brand" href="#/">
        <Mark size={24} />
        <span>Wonder</span>
      </a>
      <Queue />
      <nav className="topbar-actions" aria-label="Account and tools">
        <a className="button quiet" href="/graphql" target="_blank" rel="noreferrer">
          GraphiQL
        </a>
        <button type="button" className="quiet square" onClick={nextTheme} aria-label={`Theme: ${theme}. Change`} title={`Theme: ${theme}`}>
          <Icon name={THEME_ICONS[theme]} />
        </button>
        <span className="who" dir="auto" title={user.email}>
          {user.displayName}
        </span>
        <button type="button" className="quiet square" onClick={logOut} aria-label="Log out" title="Log out">
          <Icon name="exit" />
        </button>
      </nav>
    </header>
  );
}

/** Figures of the queue, now and over the server's window. */
function Queue() {
  const [stats, setStats] = useState<QueueStats | null>(null);
  usePolling(() => {
    // The next poll tries again; a figure that is late needs no alarm.
    request(QUEUE_STATS, {}).then(
      ({ queueStats }) => setStats(queueStats),
      () => setStats(null),
    );
  }, POLL_STATS_MS);
  if (!stats) return <dl className="queue" aria-label="Queue" />;
  const window = `over the last ${formatSeconds(stats.windowSeconds)}`;
  const seconds = (value: number | null) => (value === null ? "–" : formatSeconds(value));
  return (
    <dl className="queue" aria-label="Queue">
      {stats.paused && <Figure name="Queue" value="paused" title="No further tasks are started" />}
      <Figure name="Running" value={String(stats.running)} title="Tasks being worked on" />
      <Figure name="Waiting" value={String(stats.pending)} title={`Tasks that wait; the queue holds ${stats.capacity}`} />
      <Figure name="Workers" value={`${stats.busyWorkers}/${stats.workers}`} title="Busy of all workers" />
      <Figure name="Average" value={seconds(stats.averageSeconds)} title={`Start to finish, ${window}`} />
      <Figure name="Wait" value={seconds(stats.averageWaitSeconds)} title={`Until started, ${window}`} />
      <Figure name="Success" value={formatPercent(stats.successRate)} title={`Completed of finished, ${window}`} />
    </dl>
  );
}

function Figure({ name, value, title }: { name: string; value: string; title: string }) {
  return (
    <div className="figure" title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
