// Pack with two packers of npm. Argument: a JSON file {folder, padding, rounds, sizes}; prints one report.
// Needs the packages of tests/clients (make test-clients installs them).
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "tests/clients/package.json"));
const { packAsync } = require("free-tex-packer-core");
// Its CommonJS file exports nothing, its module does.
const { MaxRectsPacker } = await import(pathToFileURL(join(process.cwd(), "tests/clients/node_modules/maxrects-packer/dist/maxrects-packer.mjs")));
const { folder, padding, rounds, sizes } = JSON.parse(readFileSync(process.argv[2], "utf8"));

/** Trim, pack, draw and encode, as the command-line user of the packer has it. */
async function pack(images, packer) {
  const options = { textureName: "sheet", width: 4096, height: 4096, fixedSize: false, padding, allowRotation: false, detectIdentical: false, allowTrim: true };
  const started = performance.now();
  const files = await packAsync(images, { ...options, exporter: "JsonHash", packer });
  const milliseconds = performance.now() - started;
  const { w, h } = JSON.parse(files.find((file) => file.name.endsWith(".json")).buffer.toString()).meta.size;
  const png = files.filter((file) => file.name.endsWith(".png"));
  return { milliseconds, width: w, height: h, pages: png.length, bytes: png.reduce((sum, file) => sum + file.buffer.length, 0) };
}

function maxrects() {
  const packer = new MaxRectsPacker(4096, 4096, padding, { smart: true, pot: false, square: false, allowRotation: false });
  const started = performance.now();
  packer.addArray(sizes.map(([width, height]) => ({ width, height, data: null })));
  const milliseconds = performance.now() - started;
  return { milliseconds, width: packer.bins[0].width, height: packer.bins[0].height, pages: packer.bins.length };
}

const images = readdirSync(folder).sort().map((path) => ({ path, contents: readFileSync(join(folder, path)) }));
const runs = [];
for (let round = 0; round < rounds; round += 1) runs.push(await pack(images, "MaxRectsBin"));
console.log(JSON.stringify({ freeTexPacker: runs, densest: await pack(images, "OptimalPacker"), maxrects: maxrects() }));
