// Run a subscription in GraphiQL, in a headless browser, until it completes.
//
//   node graphiql.mjs --base http://127.0.0.1:8000 [--token TOKEN] [--screenshot FILE.png]
//
// Fails on any request to another host, policy violation, console error, or token left in the browser's storage.

import { startTask, tokenFor } from "./lib/api.mjs";
import { failuresOf, openPage } from "./lib/browser.mjs";
import { finish, readOptions } from "./lib/options.mjs";

const options = readOptions({
  base: null,
  token: "",
  email: "clients@example.com",
  password: "clients password",
  screenshot: "",
  theme: "dark",
  width: "1440",
  height: "900",
  "timeout-seconds": "60",
});
const timeout = Number(options["timeout-seconds"]) * 1000;

/** Replace the text of one of the editors by pasting: typed brackets would be closed by the editor. */
async function fill(page, editor, text) {
  await page.locator(`${editor} .view-lines`).first().click();
  await page.keyboard.press("Control+A");
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

const { browser, page, seen } = await openPage(options.base, options);
const failures = [];
let shown = "";
let frames = 0;
try {
  const token = await tokenFor(options.base, options);
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
    if (String(payload).includes('"next"')) frames += 1;
  }));
  await page.goto(new URL("/graphql", options.base).href);
  await page.locator(".graphiql-query-editor .view-lines").waitFor({ timeout });
  const { taskId } = await startTask(options.base, token, "a brave green slime, 史莱姆");
  const query = `subscription Progress {
  taskProgress(taskId: "${taskId}", after: 0) {
    sequence
    status
    stage
    progress
    message
  }
}`;
  await fill(page, ".graphiql-query-editor", query);
  await page.getByRole("button", { name: "Headers" }).click();
  await fill(page, ".graphiql-editor-tool .graphiql-editor:not(.hidden)", JSON.stringify({ Authorization: `Bearer ${token}` }));
  await page.getByRole("button", { name: "Show Events" }).click();
  await page.locator(".graphiql-execute-button").click();
  await page.locator(".wonder-events", { hasText: "received, complete" }).waitFor({ timeout });
  // The editor that shows results draws a moment later.
  await page.locator(".result-window .view-lines", { hasText: "COMPLETED" }).waitFor({ timeout }).catch(() => undefined);
  shown = (await page.locator(".result-window .view-lines").innerText()).replaceAll("\u00a0", " ");
  // Asked for from the first event on, they all come, even when the task had ended before the page was ready.
  if (frames < 3) failures.push(`only ${frames} events came`);
  if (!/COMPLETED/.test(shown)) failures.push(`the result pane shows ${shown}`);
  if (options.screenshot) await page.screenshot({ path: options.screenshot });
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  if (stored.includes(token)) failures.push(`the token was written to the browser storage: ${stored}`);
} catch (error) {
  failures.push(String(error));
  if (options.screenshot) await page.screenshot({ path: options.screenshot });
} finally {
  await browser.close();
}
finish({ frames, shown, ...seen, failures: [...failures, ...failuresOf(seen)] });
