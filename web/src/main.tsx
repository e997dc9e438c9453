import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/fields.css";
import "./styles/layout.css";
import "./styles/composer.css";
import "./styles/tasks.css";
import "./styles/drawer.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { session } from "./api/client";
import { App } from "./ui/App";

addEventListener("pagehide", () => session.suspend());
addEventListener("pageshow", (event) => {
  if (event.persisted) session.resume();
});

async function start(): Promise<void> {
  // A failed restore is no error to show: the page asks to log in.
  await session.restore().catch(() => session.end());
  const root = document.getElementById("root");
  if (root) {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  }
}

void start();
