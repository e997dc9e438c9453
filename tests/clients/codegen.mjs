// graphql-codegen makes typed operations of our schema, and TypeScript takes them in strict mode.
//
//   node codegen.mjs --base http://127.0.0.1:8000

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { finish, readOptions } from "./lib/options.mjs";
import { within } from "./lib/steps.mjs";

readOptions({ base: null });
const failures = [];
const require = createRequire(import.meta.url);

/** The program that a package brings under a name. */
function program(name, bin) {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin: programs } = require(manifest);
  return join(dirname(manifest), typeof programs === "string" ? programs : programs[bin]);
}

function run(...args) {
  try {
    execFileSync(process.execPath, args, { stdio: "pipe", encoding: "utf8" });
  } catch (error) {
    throw new Error(`${args[0]}: ${error.stdout}${error.stderr}`);
  }
}

await within(100, failures, async () => {
  run(program("@graphql-codegen/cli", "graphql-codegen"), "--config", "codegen/config.json");
  run(program("typescript", "tsc"), "--project", "codegen/tsconfig.json");
});
finish({ failures });
