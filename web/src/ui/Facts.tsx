import type { ReactNode } from "react";
import type { TaskDetail } from "../api/types";
import { colorsOf, mainAssets } from "../lib/assets";
import { formatClock, formatSeconds, humanize } from "../lib/format";
import { Swatches } from "./ProjectList";

type Fact = readonly [name: string, value: ReactNode];

function FactList({ title, facts, open = false }: { title: string; facts: readonly Fact[]; open?: boolean }) {
  const known = facts.filter(([, value]) => value !== null && value !== "" && value !== undefined);
  if (known.length === 0) return null;
  return (
    <details className="facts" open={open}>
      <summary>{title}</summary>
      <dl>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Where the delivered picture came from. */
export function ProvenanceList({ task }: { task: TaskDetail }) {
  const [asset] = mainAssets(task.assets);
  if (!asset) return null;
  const { provenance } = asset;
  const colors = colorsOf(asset.metadata);
  return (
    <FactList
      title="Provenance"
      open
      facts={[
        ["Provider", provenance.provider],
        ["Model", provenance.model],
        ["Seed", provenance.seed],
        ["Prompt as sent", provenance.prompt],
        ["Negative prompt", provenance.negativePrompt],
        ["Attempt, round", `${provenance.attempt}, ${provenance.round + 1}`],
        ["Generated in", formatSeconds(provenance.durationSeconds)],
        ["Provider's request", provenance.requestId],
        ["Colors", colors.length > 0 ? <Swatches key="colors" colors={colors} most={256} /> : null],
        ["SHA-256", <code key="sha">{asset.sha256}</code>],
      ]}
    />
  );
}

const yes = (value: boolean | null): string | null => (value === null ? null : value ? "yes" : "no");

/** The parameters as the server resolved them. */
export function SettingsList({ task }: { task: TaskDetail }) {
  const { params } = task;
  return (
    <FactList
      title="Settings"
      facts={[
        ["Kind", humanize(task.kind)],
        ["Size", params.width && params.height ? `${params.width} × ${params.height}` : null],
        ["Tile size", params.tileSize],
        ["Seed", params.seed],
        ["Variations", params.count],
        ["Format", params.format],
        ["Transparent", yes(params.transparent)],
        ["Seamless", yes(params.seamless)],
        ["Most colors", params.paletteSize],
        ["Animations", params.animations.map(({ name, frames, fps }) => `${name} (${frames} at ${fps}/s)`).join(", ")],
        ["Atlas formats", params.atlasFormats.map(humanize).join(", ")],
        ["Padding, extrude", params.padding === null ? null : `${params.padding}, ${params.extrude ?? 0}`],
        ["Never show", params.negativePrompt],
        ["Priority", task.priority],
        ["Task", <code key="id">{task.id}</code>],
        ["Provider's job", task.externalId],
      ]}
    />
  );
}

export function EventList({ events }: { events: TaskDetail["events"] }) {
  return (
    <details className="facts">
      <summary>Events ({events.length})</summary>
      <ol className="events">
        {events.map((event) => (
          <li key={event.sequence}>
            <span className="mono faint">{event.sequence}</span>
            <time dateTime={event.at}>{formatClock(event.at)}</time>
            <span className="mono">{Math.round(event.progress)} %</span>
            <span dir="auto">{event.message}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
