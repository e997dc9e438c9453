// Which of a task's files to show, and how.

import type { Asset, Task } from "../api/types";

const MAIN_ROLES: readonly string[] = ["image", "spritesheet", "tileset", "video"];

export function isPicture(asset: Asset): boolean {
  return asset.mediaType.startsWith("image/");
}

/** What was asked for, one for each variation or page: not the sidecars, previews and archives around it. */
export function mainAssets<Item extends Asset>(assets: readonly Item[]): Item[] {
  const main = assets.filter((asset) => MAIN_ROLES.includes(asset.role));
  return main.length > 0 ? main : assets.filter(isPicture);
}

/** The colors that a picture was found to have; none when there are too many to list. */
export function colorsOf(metadata: unknown): string[] {
  const palette = typeof metadata === "object" && metadata !== null && "palette" in metadata ? metadata.palette : null;
  return Array.isArray(palette) ? palette.filter((color) => typeof color === "string") : [];
}

/** How many pixels of each side keep their size when a part of an interface is stretched. */
export interface NineSlice {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** How a picture stretches; null when it does not. */
export function nineSliceOf(metadata: unknown): NineSlice | null {
  const found = typeof metadata === "object" && metadata !== null && "nineSlice" in metadata ? metadata.nineSlice : null;
  if (typeof found !== "object" || found === null) return null;
  const { left, top, right, bottom } = found as Record<string, unknown>;
  const sides = [left, top, right, bottom];
  return sides.every((side) => typeof side === "number") ? ({ left, top, right, bottom } as NineSlice) : null;
}

/** The moving previews of a spritesheet's animations. */
export function previews<Item extends Asset>(assets: readonly Item[]): Item[] {
  return assets.filter((asset) => asset.role === "preview" && isPicture(asset));
}

/** The still picture that stands for a clip. */
export function posterOf(assets: readonly Asset[], clip: Asset): Asset | undefined {
  const place = assets.indexOf(clip);
  return assets.slice(place).find((asset) => asset.role === "poster");
}

/** What a task's large preview offers to look at, first what it opens with: clips themselves rather than copies of them. */
export function previewChoices<Item extends Asset>(assets: readonly Item[]): Item[] {
  const main = mainAssets(assets);
  return main.some((asset) => !isPicture(asset)) ? main : [...previews(assets), ...main];
}

/** The pictures on a task's card: a moving preview when there is one and movement is welcome, else the still pictures. */
export function cardPictures(task: Pick<Task, "assets">, movement: boolean): Asset[] {
  const [moving] = previews(task.assets);
  if (moving && movement) return [moving];
  const posters = task.assets.filter((asset) => asset.role === "poster");
  return (posters.length > 0 ? posters : mainAssets(task.assets).filter(isPicture)).slice(0, 4);
}
