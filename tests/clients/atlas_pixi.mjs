// Read JSON hashes as PixiJS does. Arguments: the JSON files; prints one report a file.
import { readFileSync } from "node:fs";
import { installDom } from "./lib/dom.mjs";

installDom();
const { Spritesheet, Texture, TextureSource } = await import("pixi.js");

async function report(path) {
  const data = JSON.parse(readFileSync(path, "utf8"));
  const { w: width, h: height } = data.meta.size;
  const sheet = new Spritesheet(new Texture({ source: new TextureSource({ width, height }) }), data);
  const textures = await sheet.parse();
  const names = new Map(Object.entries(textures).map(([name, texture]) => [texture, name]));
  return {
    image: data.meta.image,
    frames: Object.entries(textures).map(([name, { frame, trim, orig, rotate, defaultAnchor, defaultBorders }]) => ({
      name,
      rect: [frame.x, frame.y, frame.width, frame.height],
      offset: [trim?.x ?? 0, trim?.y ?? 0],
      size: [orig.width, orig.height],
      rotated: rotate !== 0,
      pivot: defaultAnchor ? [defaultAnchor.x, defaultAnchor.y] : null,
      borders: defaultBorders ?? null,
    })),
    animations: Object.fromEntries(Object.entries(sheet.animations).map(([name, list]) => [name, list.map((texture) => names.get(texture) ?? null)])),
  };
}

const reports = [];
for (const path of process.argv.slice(2)) reports.push(await report(path));
console.log(JSON.stringify(reports));
process.exit(0);
