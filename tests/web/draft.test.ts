import type { Task } from "../../web/src/api/types";
import { ASSET_TYPE_NAMES, draftOf, generateInput, newDraft } from "../../web/src/lib/draft";

const input = (draft: ReturnType<typeof newDraft>) => generateInput(draft, "prj_1") as { params: Record<string, unknown> } & Record<string, unknown>;

describe("the generate form", () => {
  it("sends the prompt as typed, in any language, and leaves empty numbers to the server", () => {
    const sent = input({ ...newDraft("SPRITE"), prompt: "  一只绿色的史莱姆 🟢 مخلوق " });
    expect(sent.prompt).toBe("  一只绿色的史莱姆 🟢 مخلوق ");
    expect(sent.params).toEqual({ count: 1, format: "PNG", transparent: true });
    expect(sent).not.toHaveProperty("priority");
  });

  it.each(ASSET_TYPE_NAMES)("sends for %s only what that type has a use for", (type) => {
    const filled = {
      ...newDraft(type),
      width: "32",
      height: "32",
      tileSize: "16",
      seamless: true,
      padding: "1",
      animations: [{ name: "idle", frames: "2", fps: "", loop: true, pingPong: false }],
      durationSeconds: "2",
    };
    const { params } = input(filled);
    expect("tileSize" in params).toBe(type === "TILESET");
    expect("width" in params).toBe(type !== "TILESET");
    expect("animations" in params).toBe(type === "SPRITESHEET");
    expect("seamless" in params).toBe(type === "TILESET" || type === "BACKGROUND");
    expect("padding" in params).toBe(type === "SPRITESHEET" || type === "TILESET");
    expect("durationSeconds" in params).toBe(type === "VIDEO");
    expect("format" in params).toBe(type !== "VIDEO");
  });

  it("never asks for a transparent JPEG, which the server refuses", () => {
    expect(input({ ...newDraft("SPRITE"), format: "JPEG", transparent: true }).params.transparent).toBe(false);
  });

  it("draws an outline only around what is cut out", () => {
    const lined = { ...newDraft("SPRITE"), outline: "2", outlineColor: "#ffffff" };
    expect(input(lined).params).toMatchObject({ outline: 2, outlineColor: "#ffffff" });
    expect(input({ ...lined, transparent: false }).params).not.toHaveProperty("outline");
    expect(input({ ...newDraft("PORTRAIT"), outline: "2" }).params).not.toHaveProperty("outline");
  });

  it("closes an outline around corners only when there is one", () => {
    const corners = { ...newDraft("ICON"), outlineCorners: true };
    expect(input(corners).params).not.toHaveProperty("outlineCorners");
    expect(input({ ...corners, outline: "1" }).params).toMatchObject({ outline: 1, outlineCorners: true });
  });

  it("limits the pages of sheets only", () => {
    expect(input({ ...newDraft("SPRITESHEET"), maxSheetSize: "1024" }).params.maxSheetSize).toBe(1024);
    expect(input({ ...newDraft("SPRITE"), maxSheetSize: "1024" }).params).not.toHaveProperty("maxSheetSize");
  });

  it("asks for files for engines of a UI and of a clip only when some are chosen", () => {
    expect(input(newDraft("UI")).params).not.toHaveProperty("atlasFormats");
    expect(input({ ...newDraft("VIDEO"), atlasFormats: ["GODOT"] }).params.atlasFormats).toEqual(["GODOT"]);
  });

  it("asks for 47 tiles when they are chosen", () => {
    expect(input({ ...newDraft("TILESET"), tileCount: "47" }).params.tileCount).toBe(47);
    expect(input(newDraft("TILESET")).params).not.toHaveProperty("tileCount");
  });

  it("takes numbers as numbers", () => {
    const { params } = input({ ...newDraft("SPRITE"), seed: "2147483647", width: " 48 " });
    expect(params).toMatchObject({ seed: 2_147_483_647, width: 48 });
  });

  it("asks for the same again from a task's resolved parameters", () => {
    const params = {
      width: 48, height: 64, seed: 7, count: 2, negativePrompt: "blur", transparent: true, format: "WEBP", paletteSize: 8,
      animations: [{ name: "走", frames: 4, fps: 9, loop: false, pingPong: true }], atlasFormats: ["GODOT"], padding: 1,
      extrude: 2, trim: true, powerOfTwo: true, maxSheetSize: 2048, tileSize: null, seamless: null, durationSeconds: null, fps: null, tileCount: null,
      outline: 1, outlineColor: "#102030", outlineCorners: true, dither: 4, embedMetadata: false,
    };
    const sent = input(draftOf({ assetType: "SPRITESHEET", prompt: "knight", priority: 3, params: params as unknown as Task["params"] }));
    const { tileSize, tileCount, seamless, durationSeconds, fps, ...given } = params;
    expect(sent).toEqual({ projectId: "prj_1", assetType: "SPRITESHEET", prompt: "knight", priority: 3, params: given });
  });

  it("keeps the prompt when another type is chosen, and takes that type's defaults", () => {
    const sheet = newDraft("SPRITESHEET", { ...newDraft("BACKGROUND"), prompt: "forest" });
    expect(sheet).toMatchObject({ prompt: "forest", transparent: true, atlasFormats: ["JSON_HASH"] });
    expect(sheet.animations.map((animation) => animation.name)).toEqual(["idle", "walk", "attack"]);
  });
});
