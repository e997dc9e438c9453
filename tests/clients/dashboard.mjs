// Go through the dashboard as a new user does, in a headless browser: sign up, project, asset, details, reload.
//
//   node dashboard.mjs --base http://127.0.0.1:8000 [--screenshots FOLDER] [--width 420] [--theme light]

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { failuresOf, openPage } from "./lib/browser.mjs";
import { finish, readOptions } from "./lib/options.mjs";

const options = readOptions({
  base: null,
  email: `dashboard-${Date.now()}@example.com`,
  password: "moss and stone",
  type: "SPRITE",
  prompt: "a small green slime with a leaf on its head",
  screenshots: "",
  theme: "dark",
  width: "1440",
  height: "900",
  "timeout-seconds": "60",
});
const timeout = Number(options["timeout-seconds"]) * 1000;
const { browser, page, seen } = await openPage(options.base, options);
page.setDefaultTimeout(timeout);
const failures = [];
const steps = [];

async function step(name) {
  steps.push(name);
  if (!options.screenshots) return;
  await mkdir(options.screenshots, { recursive: true });
  await page.screenshot({ path: join(options.screenshots, `${options.theme}-${options.width}-${steps.length}-${name}.png`) });
}

async function signUp() {
  await page.goto(options.base);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByLabel("Email").fill(options.email);
  await page.getByLabel("Password").fill(options.password);
  await step("sign-up");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Begin with a project" }).waitFor();
}

async function createProject() {
  await page.getByRole("main").getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Name").fill("Moss and Stone 苔石");
  await page.getByLabel("Mood").fill("cheerful");
  await page.getByRole("button", { name: "Use the palette Meadow" }).click();
  await step("project");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("heading", { name: "Moss and Stone 苔石" }).waitFor();
}

/** What is wrong below "More options" is told at its field, which is unfolded for it. */
async function beRefused() {
  const fold = page.locator(".advanced");
  const summary = fold.locator("summary");
  await summary.click();
  await page.getByLabel("Outline", { exact: true }).fill("1");
  await page.getByLabel("Its color").fill("pinkish");
  await summary.click();
  await page.getByRole("button", { name: /^Generate/ }).click();
  await fold.locator(".field-error").waitFor();
  await fold.scrollIntoViewIfNeeded();
  await step("refused");
  await page.getByLabel("Its color").fill("#102030");
  await page.getByLabel("Outline", { exact: true }).fill("99");
  await summary.click();
  await page.getByRole("button", { name: /^Generate/ }).click();
  await page.waitForFunction(() => document.querySelector(".advanced").open);
  await page.getByLabel("Outline", { exact: true }).fill("");
  await page.getByLabel("Its color").fill("");
  await summary.click();
}

/** A picture of the user's own is taken, shown by its name, and what is no picture is refused in words. */
async function bringPicture() {
  const chooser = page.getByLabel("Start from a picture");
  await chooser.setInputFiles({ name: "no.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
  await page.locator(".composer .problem").waitFor();
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await chooser.setInputFiles({ name: "苔.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") });
  await page.locator(".source bdi", { hasText: "苔.png" }).waitFor();
  await step("source");
  await page.getByRole("button", { name: "Do not start from this picture" }).click();
}

async function generate() {
  await page.locator(`.type input[value="${options.type}"]`).check({ force: true });
  await page.getByLabel("Prompt", { exact: true }).fill(options.prompt);
  await bringPicture();
  if (["SPRITE", "ICON", "UI"].includes(options.type)) await beRefused();
  await page.getByRole("button", { name: /^Generate/ }).click();
  // Either is seen first: a fast server is done before the row is drawn.
  await page.locator(".task [role=progressbar], .card").first().waitFor();
  await step("in-progress");
  const image = page.locator(".card img").first();
  await image.waitFor();
  await image.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector(".card img")?.naturalWidth > 0);
  await step("done");
}

async function stretch(drawer) {
  await drawer.getByText("Stretch", { exact: true }).click();
  await drawer.getByLabel("Width").fill("400");
  const { width } = await drawer.locator(".stretched-part").evaluate((part) => part.getBoundingClientRect());
  if (width !== 400) failures.push(`stretched to 400 pixels the part is ${width} wide`);
  await step("stretched");
}

async function openDetails() {
  await page.locator(".card-open").first().click();
  const drawer = page.getByRole("dialog", { name: "Details" });
  await drawer.getByRole("heading", { name: "Files" }).waitFor();
  await page.waitForFunction(() => document.querySelector(".preview-stage img")?.naturalWidth > 0);
  const checks = await drawer.locator(".check").count();
  const files = await drawer.locator(".files li").count();
  if (checks === 0) failures.push("the drawer shows no quality checks");
  if (files === 0) failures.push("the drawer shows no files");
  if ((await drawer.getByRole("button", { name: /^Copy the address of/ }).count()) !== files) failures.push("an address cannot be copied");
  if (options.type === "UI") await stretch(drawer);
  const address = await drawer.locator(".files a").first().getAttribute("href");
  const status = await page.evaluate(async (url) => (await fetch(url)).status, address);
  if (status !== 200) failures.push(`the first file answers ${status}`);
  await step("details");
  await drawer.locator("summary", { hasText: "Events" }).click();
  await drawer.locator(".events").scrollIntoViewIfNeeded();
  await step("details-below");
  return { checks, files };
}

async function reload() {
  await page.reload();
  await page.getByRole("dialog", { name: "Details" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Moss and Stone 苔石" }).waitFor();
  const stored = await page.evaluate(() => ({ session: { ...sessionStorage }, local: { ...localStorage } }));
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("form", { name: "Log in" }).waitFor();
  await step("logged-out");
  return stored;
}

let found = {};
try {
  await signUp();
  await createProject();
  await generate();
  found = await openDetails();
  found = { ...found, ...(await reload()) };
} catch (error) {
  failures.push(String(error));
  await step("failure");
} finally {
  await browser.close();
}
finish({ steps, ...found, ...seen, failures: [...failures, ...failuresOf(seen)] });
