// Pictures of the page itself: line icons by path, asset types as bitmaps of 10 by 10.

import type { AssetType } from "../api/types";

const PATHS = {
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  trash: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9",
  retry: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  stop: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M5.5 5.5l5 5",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  dice: "M3 3h10v10H3zM6 6h.01M10 6h.01M8 8h.01M6 10h.01M10 10h.01",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5L14 14",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  auto: "M2.5 3h11v8h-11zM6 14h4M8 11v3",
  exit: "M6.5 2.5h-4v11h4M6 8h8M11 5l3 3-3 3",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  remix: "M2 5h8a3 3 0 0 1 3 3M10.5 5.5L13 8l2-2.5M14 11H6a3 3 0 0 1-3-3M5.5 10.5L3 8l-2 2.5",
  check: "M3 8.500l3.5 3.500L13 4.5",
  alert: "M8 2l6.5 11.500h-13zM8 6.500v3.200M8 11.800h.01",
  picture: "M2.5 3h11v10h-11zM2.5 11l3.5-3.5 3 3 2-2 2.5 2.500M10.5 6h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

const BITMAPS: Readonly<Record<AssetType, string>> = {
  SPRITE: "..........|...####...|..######..|..#.##.#..|..######..|.########.|.#.####.#.|...####...|...#..#...|..##..##..",
  SPRITESHEET: "####..####|#..#..#..#|#..#..#..#|####..####|..........|..........|####..####|#..#..####|#..#..####|####..####",
  TILESET: "##########|#...##...#|#...##...#|#...##...#|##########|##########|#...##...#|#...##...#|#...##...#|##########",
  ICON: ".......###|......####|.....####.|....####..|#..####...|##.###....|.####.....|..##......|.####.....|##..##....",
  BACKGROUND: "..........|.......##.|.......##.|...#......|..###.....|.#####..#.|#######.##|##########|##########|##########",
  PORTRAIT: "...####...|..######..|.########.|.##.##.##.|.########.|.##....##.|..######..|...####...|.########.|##########",
  UI: "##########|#........#|#.####...#|#........#|##########|..........|####..####|#..#..#..#|####..####|..........",
  VIDEO: "##########|#.#.##.#.#|##########|#..#.....#|#..###...#|#..####..#|#..###...#|##########|#.#.##.#.#|##########",
};

/** The picture of an asset type. */
export function TypeIcon({ type, size = 20 }: { type: AssetType; size?: number }) {
  const path = BITMAPS[type]
    .split("|")
    .flatMap((row, y) => [...row].map((pixel, x) => (pixel === "#" ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg className="type-icon" viewBox="0 0 10 10" width={size} height={size} aria-hidden="true" shapeRendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

/** Wonder's sign. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true" shapeRendering="crispEdges" className="mark">
      <path d="M7 1h2v4h1v1h1v1h4v2h-4v1h-1v1H9v4H7v-4H6v-1H5V9H1V7h4V6h1V5h1z" fill="var(--accent)" />
      <path d="M7 6h2v1h1v2H9v1H7V9H6V7h1z" fill="var(--mark-core)" />
    </svg>
  );
}
