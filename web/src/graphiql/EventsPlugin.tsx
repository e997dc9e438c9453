import type { GraphiQL } from "graphiql";
import { type ComponentProps, useSyncExternalStore } from "react";
import { currentRecording, subscribeToRecording } from "./events";

function EventsIcon() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
      <path d="M3 10h3l2-6 4 12 2-6h3" />
    </svg>
  );
}

function Events() {
  const recording = useSyncExternalStore(subscribeToRecording, currentRecording);
  return (
    <section className="wonder-events" aria-label="Events">
      <h2>Events</h2>
      {!recording && <p>Run a subscription: every event is kept here, in the order of arrival.</p>}
      {recording && (
        <>
          <p aria-live="polite">
            {recording.name}: {recording.dropped + recording.events.length} received, {recording.end ?? "running"}
          </p>
          <ol>
            {recording.events.map(({ number, atMs, result }) => (
              <li key={number}>
                <span>
                  {number} · {new Date(atMs).toLocaleTimeString("en-GB")}
                </span>
                <pre dir="auto">{JSON.stringify(result, null, 1)}</pre>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

type Plugin = NonNullable<ComponentProps<typeof GraphiQL>["plugins"]>[number];

export const EVENTS_PLUGIN: Plugin = { title: "Events", icon: EventsIcon, content: Events };
