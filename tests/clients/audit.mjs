// Audit a running server against GraphQL over HTTP, with the audits of graphql-http. Introspection must be on.
//
//   node audit.mjs --base http://127.0.0.1:8000

import { auditServer } from "graphql-http";
import { finish, readOptions } from "./lib/options.mjs";

const options = readOptions({ base: null });
const results = await auditServer({ url: new URL("/graphql", options.base).href });
const failures = results
  .filter((result) => result.status !== "ok")
  .map((result) => `${result.id} ${result.name}: ${result.reason}`);
// Fewer audits than there are today would be no audit.
if (results.length < 61) failures.push(`only ${results.length} audits ran`);
finish({ audits: results.length, passed: results.length - failures.length, failures });
