// Read atlases as Phaser does, headless. Arguments: pairs of a reader and a file; prints one report a file.
// Readers: hash, array, multi, aseprite, unity (with WIDTHxHEIGHT after a colon).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { installDom } from "./lib/dom.mjs";

const window = installDom();
const Phaser = createRequire(import.meta.url)("phaser/dist/phaser.js");

const game = await new Promise((resolve) => {
  const started = new Phaser.Game({
    type: Phaser.HEADLESS,
    width: 32,
    height: 32,
    banner: false,
    audio: { noAudio: true },
    input: { keyboard: false, mouse: false, touch: false, gamepad: false },
    parent: window.document.body,
    callbacks: { postBoot: () => resolve(started) },
  });
});

function image(width, height) {
  return { width, height, naturalWidth: width, naturalHeight: height, src: "" };
}

function add(reader, key, text) {
  const [kind, size] = reader.split(":");
  if (kind === "unity") {
    const [width, height] = size.split("x").map(Number);
    return game.textures.addUnityAtlas(key, image(width, height), text);
  }
  const data = JSON.parse(text);
  if (kind === "multi") return game.textures.addAtlasJSONArray(key, data.textures.map((page) => image(page.size.w, page.size.h)), data.textures);
  const source = image(data.meta.size.w, data.meta.size.h);
  if (kind === "array") return game.textures.addAtlasJSONArray(key, source, data);
  const texture = game.textures.addAtlasJSONHash(key, source, data);
  if (kind === "aseprite") game.cache.json.add(key, data);
  return texture;
}

function report(reader, path, key) {
  const texture = add(reader, key, readFileSync(path, "utf8"));
  const animations = reader === "aseprite" ? game.anims.createFromAseprite(key) : [];
  return {
    frames: texture.getFrameNames().map((name) => {
      const frame = texture.get(name);
      return {
        name,
        page: frame.sourceIndex,
        rect: [frame.cutX, frame.cutY, frame.cutWidth, frame.cutHeight],
        offset: [frame.x, frame.y],
        size: [frame.realWidth, frame.realHeight],
        rotated: frame.rotated,
        pivot: frame.customPivot ? [frame.pivotX, frame.pivotY] : null,
        middle: frame.scale9 ? frame.data.scale9Borders : null,
      };
    }),
    animations: Object.fromEntries(
      animations.map((animation) => [
        animation.key,
        { frames: animation.frames.map((frame) => frame.textureFrame), durations: animation.frames.map((frame) => frame.duration), yoyo: animation.yoyo },
      ]),
    ),
  };
}

const given = process.argv.slice(2);
const reports = [];
for (let index = 0; index < given.length; index += 2) reports.push(report(given[index], given[index + 1], `sheet${index}`));
console.log(JSON.stringify(reports));
process.exit(0);
