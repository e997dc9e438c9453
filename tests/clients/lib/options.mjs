// What every script here takes: names as `--name value`, else from the environment as WONDER_NAME.

/** Read options; `defaults` names them all, and one whose default is null is required. */
export function readOptions(defaults) {
  const given = {};
  const argv = process.argv.slice(2);
  for (let index = 0; index < argv.length; index += 2) {
    const name = argv[index].replace(/^--/, "");
    if (!argv[index].startsWith("--") || !(name in defaults) || argv[index + 1] === undefined) {
      fail(`usage: ${Object.keys(defaults).map((key) => `--${key} VALUE`).join(" ")}`);
    }
    given[name] = argv[index + 1];
  }
  const options = {};
  for (const [name, fallback] of Object.entries(defaults)) {
    options[name] = given[name] ?? process.env[`WONDER_TEST_${name.replaceAll("-", "_").toUpperCase()}`] ?? fallback;
    if (options[name] === null) fail(`--${name} is missing`);
  }
  return options;
}

/** Say why on standard error and end with status 2: the script was called wrongly. */
function fail(message) {
  console.error(message);
  process.exit(2);
}

/** Print the outcome as one line of JSON and end with 0, or 1 when there are failures. */
export function finish(outcome) {
  console.log(JSON.stringify(outcome));
  process.exit(outcome.failures.length > 0 ? 1 : 0);
}
