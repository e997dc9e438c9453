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

/** The moving previews of a spritesheet's animations. */
export function previews<Item extends Asset>(assets: readonly Item[]): Item[] {
  return assets.filter((asset) => asset.role === "preview" && isPicture(asset));
}

/** The pictures on a task's card: a moving preview when there is one and movement is welcome, else the main pictures. */
export function cardPictures(task: Pick<Task, "assets">, movement: boolean): Asset[] {
  const [moving] = previews(task.assets);
  if (moving && movement) return [moving];
  return mainAssets(task.assets).filter(isPicture).slice(0, 4);
}
