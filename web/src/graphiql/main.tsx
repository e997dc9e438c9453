import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./graphiql.css";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { createRoot } from "react-dom/client";
import { EVENTS_PLUGIN } from "./EventsPlugin";
import { createFetcher } from "./fetcher";
import { WELCOME_HEADERS, WELCOME_QUERY } from "./welcome";

const root = document.getElementById("graphiql");
if (root) {
  createRoot(root).render(
    <GraphiQL
      fetcher={createFetcher(location.pathname)}
      defaultQuery={WELCOME_QUERY}
      defaultHeaders={WELCOME_HEADERS}
      defaultEditorToolsVisibility="headers"
      // Headers hold tokens: they are never written to storage, and there is no switch to do so.
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
      plugins={[HISTORY_PLUGIN, EVENTS_PLUGIN]}
    />,
  );
}
