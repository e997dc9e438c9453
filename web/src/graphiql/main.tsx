import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./graphiql.css";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { createRoot } from "react-dom/client";
import { EVENTS_PLUGIN } from "./EventsPlugin";
import { createFetcher } from "./fetcher";
import { tabStorage } from "./storage";
import { WELCOME_HEADERS, WELCOME_QUERY } from "./welcome";

const root = document.getElementById("graphiql");
if (root) {
  createRoot(root).render(
    <GraphiQL
      fetcher={createFetcher(location.pathname)}
      defaultQuery={WELCOME_QUERY}
      defaultHeaders={WELCOME_HEADERS}
      defaultEditorToolsVisibility="headers"
      // Headers hold tokens, and documents may hold passwords: see storage.ts.
      storage={tabStorage(sessionStorage)}
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
      plugins={[HISTORY_PLUGIN, EVENTS_PLUGIN]}
    />,
  );
}
