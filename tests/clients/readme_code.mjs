// Run the code that an archive's README gives for PixiJS and Phaser, as it stands there. Argument: the unpacked folder.
// Prints for each piece which animations it made, and what it shows.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { installDom } from "./lib/dom.mjs";

const window = installDom();
const pixi = await import("pixi.js");
const Phaser = createRequire(import.meta.url)("phaser/dist/phaser.js");
const folder = process.argv[2];
const json = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const image = ({ w: width, h: height }) => ({ width, height, naturalWidth: width, naturalHeight: height, src: "" });

/** The pieces of code, each with its section's heading and the prose above it. */
function pieces(text) {
  const found = [];
  let heading = "";
  let above = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("      ")) {
      if (found.at(-1)?.open) found.at(-1).code += `${line}\n`;
      else found.push({ heading, above, code: `${line}\n`, open: true });
      continue;
    }
    if (found.length > 0) found.at(-1).open = false;
    if (line.startsWith("  ")) above = line.trim();
    else if (line.includes(": ")) heading = line;
  }
  return found;
}

const Assets = {
  async load(name) {
    const data = json(name);
    const { w: width, h: height } = data.meta.size;
    const sheet = new pixi.Spritesheet(new pixi.Texture({ source: new pixi.TextureSource({ width, height }) }), data);
    await sheet.parse();
    return sheet;
  },
};

async function runPixi(code) {
  const names = ["sheet", "animation1", "animation2", "animation3", "part", "tile"];
  const made = names.map((name) => `typeof ${name} === "undefined" ? null : ${name}`);
  const body = `return (async () => { ${code} return [${made.join(", ")}]; })()`;
  const run = new Function("Assets", "AnimatedSprite", "NineSliceSprite", "Sprite", body);
  const [sheet, ...shown] = await run(Assets, pixi.AnimatedSprite, pixi.NineSliceSprite, pixi.Sprite);
  const named = new Map(Object.entries(sheet.textures).map(([name, texture]) => [texture, name]));
  return shown
    .filter((one) => one !== null)
    .map((one) => ({
      frames: (one.textures ?? [one.texture]).map((texture) => named.get(texture)),
      speed: one.animationSpeed ?? null,
      width: one.width,
    }));
}

const scene = await new Promise((resolve) => {
  new Phaser.Game({
    type: Phaser.HEADLESS,
    width: 32,
    height: 32,
    banner: false,
    audio: { noAudio: true },
    input: { keyboard: false, mouse: false, touch: false, gamepad: false },
    parent: window.document.body,
    scene: {
      create() {
        resolve(this);
      },
    },
  });
});
const loader = {
  atlas(key, _picture, name) {
    const data = json(name);
    if (Array.isArray(data.frames)) scene.textures.addAtlasJSONArray(key, image(data.meta.size), data);
    else scene.textures.addAtlasJSONHash(key, image(data.meta.size), data);
  },
  multiatlas(key, name) {
    const { textures } = json(name);
    scene.textures.addAtlasJSONArray(key, textures.map((page) => image(page.size)), textures);
  },
  aseprite(key, _picture, name) {
    const data = json(name);
    scene.textures.addAtlasJSONHash(key, image(data.meta.size), data);
    scene.cache.json.add(key, data);
  },
};

function runPhaser(preload, create) {
  for (const one of [...scene.children.list]) one.destroy();
  for (const key of scene.anims.anims.keys()) scene.anims.remove(key);
  for (const key of scene.textures.getTextureKeys()) scene.textures.remove(key);
  Object.defineProperty(scene, "load", { value: loader, configurable: true });
  new Function(preload).call(scene);
  new Function(create).call(scene);
  const [shown] = scene.children.list;
  return {
    animations: scene.anims.anims.values().map((one) => ({
      key: one.key,
      frames: one.frames.map((frame) => frame.textureFrame),
      repeat: one.repeat,
    })),
    playing: shown?.anims?.currentAnim?.key ?? null,
    frame: shown?.frame?.name ?? null,
    width: shown?.width ?? null,
  };
}

const found = pieces(readFileSync(join(folder, "README.txt"), "utf8"));
const report = { pixi: [], phaser: [] };
for (const [index, piece] of found.entries()) {
  if (piece.above.startsWith("PixiJS")) report.pixi.push(await runPixi(piece.code));
  else if (piece.above.includes("preload()")) {
    report.phaser.push({ heading: piece.heading, ...runPhaser(piece.code, found[index + 1]?.code ?? "") });
  }
}
console.log(JSON.stringify(report));
process.exit(0);
