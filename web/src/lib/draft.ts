// What the generate form holds, and the input it becomes.

import type { AssetType, AtlasFormat, GenerationParams, ImageFormat, Task } from "../api/types";

export interface AnimationDraft {
  name: string;
  frames: string;
  fps: string;
  loop: boolean;
  pingPong: boolean;
}

/** Numbers are text as typed; "" leaves the choice to the server. */
export interface Draft {
  assetType: AssetType;
  prompt: string;
  width: string;
  height: string;
  seed: string;
  count: string;
  format: ImageFormat;
  transparent: boolean;
  animations: AnimationDraft[];
  atlasFormats: AtlasFormat[];
  tileSize: string;
  seamless: boolean;
  negativePrompt: string;
  paletteSize: string;
  padding: string;
  extrude: string;
  trim: boolean;
  powerOfTwo: boolean;
  maxSheetSize: string;
  durationSeconds: string;
  fps: string;
  tileCount: TileCount;
  outline: string;
  /** `#rrggbb`, or "" for a color that fits. */
  outlineColor: string;
  outlineCorners: boolean;
  dither: Dither;
  embedMetadata: boolean;
  priority: string;
  provider: string;
  source: { id: string; name: string } | null;
}

export const TILE_COUNTS = ["16", "47"] as const;
export type TileCount = (typeof TILE_COUNTS)[number];
/** The side of the pattern by which colors are mixed; "" for none. */
export const DITHERS = ["", "2", "4", "8"] as const;
export type Dither = (typeof DITHERS)[number];

interface TypeFacts {
  label: string;
  hint: string;
  size: readonly [number, number];
  sizes: readonly (readonly [number, number])[];
  transparent: boolean;
}

const SQUARES = [16, 32, 48, 64, 128].map((side) => [side, side] as const);

/** What each asset type starts from; sizes are offers, any from 16 to 2048 is taken. */
export const ASSET_TYPES: Readonly<Record<AssetType, TypeFacts>> = {
  SPRITE: { label: "Sprite", hint: "One character, creature or thing", size: [64, 64], sizes: SQUARES, transparent: true },
  SPRITESHEET: { label: "Spritesheet", hint: "Animations with an atlas", size: [64, 64], sizes: SQUARES, transparent: true },
  TILESET: { label: "Tileset", hint: "Terrain that fits together", size: [128, 128], sizes: [], transparent: false },
  ICON: { label: "Icon", hint: "Items, skills and buttons", size: [64, 64], sizes: SQUARES, transparent: true },
  BACKGROUND: {
    label: "Background",
    hint: "Scenery behind the action",
    size: [640, 360],
    sizes: [[320, 180], [640, 360], [960, 540]],
    transparent: false,
  },
  PORTRAIT: {
    label: "Portrait",
    hint: "Faces for dialogue",
    size: [128, 128],
    sizes: [[64, 64], [96, 96], [128, 128], [256, 256]],
    transparent: false,
  },
  UI: { label: "UI", hint: "Panels, bars and buttons", size: [192, 96], sizes: [[96, 48], [192, 96], [256, 128]], transparent: true },
  VIDEO: {
    label: "Video",
    hint: "A short clip",
    size: [512, 288],
    sizes: [[512, 288], [640, 360], [1280, 720], [288, 512]],
    transparent: false,
  },
};
export const ASSET_TYPE_NAMES = Object.keys(ASSET_TYPES) as AssetType[];
export const TILE_SIZES = [8, 16, 32, 48, 64] as const;
export const IMAGE_FORMATS: readonly ImageFormat[] = ["PNG", "WEBP", "JPEG", "GIF", "APNG"];

export function atlasFormatsOf(assetType: AssetType): AtlasFormat[] {
  if (assetType === "SPRITESHEET" || assetType === "UI" || assetType === "VIDEO") return ["JSON_HASH", "JSON_ARRAY", "ASEPRITE", "GODOT", "UNITY"];
  return assetType === "TILESET" ? ["TILED", "GODOT", "UNITY", "JSON_HASH", "JSON_ARRAY", "ASEPRITE"] : [];
}

/** Whether files for engines are made unless told otherwise. */
export function isSheet(assetType: AssetType): boolean {
  return assetType === "SPRITESHEET" || assetType === "TILESET";
}

/** Whether there is something to draw a line around. */
export function takesOutline(assetType: AssetType): boolean {
  return assetType === "SPRITE" || assetType === "SPRITESHEET" || assetType === "ICON" || assetType === "UI";
}

export const DEFAULT_ANIMATIONS: readonly AnimationDraft[] = [
  { name: "idle", frames: "4", fps: "6", loop: true, pingPong: false },
  { name: "walk", frames: "8", fps: "10", loop: true, pingPong: false },
  { name: "attack", frames: "6", fps: "12", loop: false, pingPong: false },
];

/** An empty form for one asset type; the prompt and the source picture of `previous` are kept. */
export function newDraft(assetType: AssetType, previous?: Draft): Draft {
  return {
    assetType,
    prompt: previous?.prompt ?? "",
    width: "",
    height: "",
    seed: previous?.seed ?? "",
    count: "1",
    format: "PNG",
    transparent: ASSET_TYPES[assetType].transparent,
    animations: assetType === "SPRITESHEET" ? DEFAULT_ANIMATIONS.map((animation) => ({ ...animation })) : [],
    atlasFormats: isSheet(assetType) ? atlasFormatsOf(assetType).slice(0, 1) : [],
    tileSize: "",
    seamless: false,
    negativePrompt: previous?.negativePrompt ?? "",
    paletteSize: "",
    padding: "",
    extrude: "",
    trim: false,
    powerOfTwo: false,
    maxSheetSize: "",
    durationSeconds: "",
    fps: "",
    tileCount: "16",
    outline: "",
    outlineColor: "",
    outlineCorners: false,
    dither: "",
    embedMetadata: true,
    priority: previous?.priority ?? "",
    provider: previous?.provider ?? "",
    source: previous?.source ?? null,
  };
}

const text = (value: number | null): string => (value === null ? "" : String(value));

/** The form that would ask for the same task again. */
export function draftOf(task: Pick<Task, "assetType" | "prompt" | "params" | "priority">): Draft {
  const { params } = task;
  return {
    ...newDraft(task.assetType),
    prompt: task.prompt,
    width: text(params.width),
    height: text(params.height),
    seed: text(params.seed),
    count: String(params.count),
    format: params.format ?? "PNG",
    transparent: params.transparent,
    animations: params.animations.map((item) => ({ ...item, frames: String(item.frames), fps: String(item.fps) })),
    atlasFormats: params.atlasFormats,
    tileSize: text(params.tileSize),
    seamless: params.seamless ?? false,
    negativePrompt: params.negativePrompt,
    paletteSize: text(params.paletteSize),
    padding: text(params.padding),
    extrude: text(params.extrude),
    trim: params.trim ?? false,
    powerOfTwo: params.powerOfTwo ?? false,
    maxSheetSize: text(params.maxSheetSize),
    durationSeconds: text(params.durationSeconds),
    fps: text(params.fps),
    tileCount: TILE_COUNTS.find((count) => count === text(params.tileCount)) ?? "16",
    outline: text(params.outline),
    outlineColor: params.outlineColor ?? "",
    outlineCorners: params.outlineCorners ?? false,
    dither: DITHERS.find((side) => side === text(params.dither)) ?? "",
    embedMetadata: params.embedMetadata ?? true,
    priority: String(task.priority),
  };
}

type Number_ = { [Key in keyof GenerationParams]: GenerationParams[Key] extends number | undefined ? Key : never }[keyof GenerationParams];

/** The input of `generate`: only fields that the asset type has a use for, and only those that were filled in. */
export function generateInput(draft: Draft, projectId: string): object {
  const { assetType } = draft;
  const params: GenerationParams = {};
  const number = (name: NonNullable<Number_>, value: string) => {
    if (value.trim() !== "") params[name] = Number(value);
  };
  number("seed", draft.seed);
  number("count", draft.count);
  if (assetType !== "TILESET") {
    number("width", draft.width);
    number("height", draft.height);
  }
  if (assetType === "VIDEO") {
    number("durationSeconds", draft.durationSeconds);
    number("fps", draft.fps);
  } else {
    number("paletteSize", draft.paletteSize);
    number("dither", draft.dither);
    params.format = draft.format;
    params.transparent = draft.transparent && draft.format !== "JPEG";
  }
  if (draft.negativePrompt.trim()) params.negativePrompt = draft.negativePrompt;
  if (!draft.embedMetadata) params.embedMetadata = false;
  if (takesOutline(assetType) && params.transparent && Number(draft.outline) > 0) {
    number("outline", draft.outline);
    if (draft.outlineColor) params.outlineColor = draft.outlineColor;
    if (draft.outlineCorners) params.outlineCorners = true;
  }
  if (isSheet(assetType) || draft.atlasFormats.length > 0) params.atlasFormats = draft.atlasFormats;
  if (isSheet(assetType)) {
    number("padding", draft.padding);
    number("extrude", draft.extrude);
    number("maxSheetSize", draft.maxSheetSize);
    params.powerOfTwo = draft.powerOfTwo;
  }
  if (assetType === "SPRITESHEET") {
    params.trim = draft.trim;
    params.animations = draft.animations.map((item) => ({ ...item, frames: Number(item.frames), fps: Number(item.fps) || 8 }));
  }
  if (assetType === "TILESET") {
    number("tileSize", draft.tileSize);
    if (draft.tileCount !== "16") number("tileCount", draft.tileCount);
  }
  if (assetType === "TILESET" || assetType === "BACKGROUND") params.seamless = draft.seamless;
  return {
    projectId,
    assetType,
    prompt: draft.prompt,
    params,
    ...(draft.priority ? { priority: Number(draft.priority) } : {}),
    ...(draft.provider ? { provider: draft.provider } : {}),
    ...(draft.source ? { sourceImageId: draft.source.id } : {}),
  };
}
