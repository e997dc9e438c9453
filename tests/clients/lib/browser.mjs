// A headless browser that notes everything that a page on a strict, offline site must not do.

import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";

/** Open a page; `seen` fills with requests to other hosts, console errors, uncaught exceptions and policy violations. */
export async function openPage(base, { width = 1440, height = 900, theme = "dark", scale = 1 } = {}) {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((flag) => flag !== "--single-process" && flag !== "--no-zygote"), "--no-sandbox"],
  });
  const context = await browser.newContext({
    viewport: { width: Number(width), height: Number(height) },
    colorScheme: theme,
    deviceScaleFactor: Number(scale),
  });
  const page = await context.newPage();
  const seen = { external: [], errors: [], violations: [], failed: [] };
  const origin = new URL(base).origin;
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin) seen.external.push(request.url());
  });
  page.on("websocket", (socket) => {
    if (new URL(socket.url()).host !== new URL(base).host) seen.external.push(socket.url());
  });
  page.on("response", (response) => {
    if (response.status() >= 400) seen.failed.push(`${response.status()} ${response.url()}`);
  });
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const list = /Content Security Policy|Refused to/.test(message.text()) ? seen.violations : seen.errors;
    list.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  return { browser, page, seen };
}

/** Everything that was seen, as failures in words. */
export function failuresOf(seen) {
  return Object.entries(seen).flatMap(([kind, list]) => [...new Set(list)].map((item) => `${kind}: ${item}`));
}
