// Under which names a real browser saves what it downloads.
//
//   node downloads.mjs --base http://127.0.0.1:8000 --addresses '["http://127.0.0.1:8000/files/..."]'

import { openPage } from "./lib/browser.mjs";
import { finish, readOptions } from "./lib/options.mjs";

const options = readOptions({ base: null, addresses: null });
const { browser, page } = await openPage(options.base);
const names = [];
const failures = [];
for (const address of JSON.parse(options.addresses)) {
  const [download] = await Promise.all([
    page.waitForEvent("download", { timeout: 10_000 }).catch(() => null),
    page.goto(address).catch(() => null), // a page that becomes a download is no page
  ]);
  const failure = download ? await download.failure() : "no download";
  if (failure) failures.push(`${address}: ${failure}`);
  names.push(download?.suggestedFilename() ?? null);
}
await browser.close();
finish({ names, failures });
