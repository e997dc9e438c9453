import { fieldError } from "../api/errors";
import type { UserError } from "../api/types";
import {
  ASSET_TYPES,
  atlasFormatsOf,
  type Draft,
  IMAGE_FORMATS,
  isSheet,
  TILE_COUNTS,
  TILE_SIZES,
} from "../lib/draft";
import { AnimationEditor } from "./AnimationEditor";
import { Chips, Choice, NumberField, Toggle } from "./fields";
import { Icon } from "./icons";

export interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

export const ATLAS_LABELS = {
  JSON_HASH: "JSON (PixiJS, Phaser)",
  JSON_ARRAY: "JSON array",
  ASEPRITE: "Aseprite",
  GODOT: "Godot",
  TILED: "Tiled",
  UNITY: "Unity",
} as const;

/** What is asked for most: size, seed, count, format, and what belongs to the asset type. */
export function ShapeFields({ draft, set, errors }: FieldsProps & { errors: readonly UserError[] }) {
  const { assetType } = draft;
  const error = (name: string) => fieldError(errors, name);
  const sheet = isSheet(assetType);
  return (
    <>
      {assetType === "TILESET" ? <TileSize draft={draft} set={set} error={error("tileSize")} /> : <Size draft={draft} set={set} error={error} />}
      {assetType === "SPRITESHEET" && (
        <AnimationEditor animations={draft.animations} onChange={(animations) => set({ animations })} error={error("animations")} />
      )}
      {sheet && (
        <Chips
          label="Atlas for"
          values={draft.atlasFormats}
          onChange={(atlasFormats) => set({ atlasFormats })}
          options={atlasFormatsOf(assetType).map((value) => ({ value, label: ATLAS_LABELS[value] }))}
        />
      )}
      <div className="columns">
        <SeedField draft={draft} set={set} error={error("seed")} />
        <NumberField label="Variations" min={1} max={8} value={draft.count} onChange={(count) => set({ count })} error={error("count")} />
      </div>
      {assetType === "VIDEO" ? (
        <div className="columns">
          <NumberField
            label="Seconds"
            min={0.5}
            max={10}
            step={0.5}
            placeholder="3"
            value={draft.durationSeconds}
            onChange={(durationSeconds) => set({ durationSeconds })}
            error={error("durationSeconds")}
          />
          <NumberField
            label="Frames a second"
            min={1}
            max={30}
            placeholder="24"
            value={draft.fps}
            onChange={(fps) => set({ fps })}
            error={error("fps")}
          />
        </div>
      ) : (
        <Choice
          label="Format"
          value={draft.format}
          onChange={(format) => set({ format })}
          options={IMAGE_FORMATS.map((value) => ({ value, label: value }))}
        />
      )}
      <div className="row wrap toggles">
        {assetType !== "VIDEO" && (
          <Toggle
            label="Transparent"
            checked={draft.transparent && draft.format !== "JPEG"}
            disabled={draft.format === "JPEG"}
            onChange={(transparent) => set({ transparent })}
          />
        )}
        {(assetType === "TILESET" || assetType === "BACKGROUND") && (
          <Toggle label="Seamless" checked={draft.seamless} onChange={(seamless) => set({ seamless })} />
        )}
      </div>
    </>
  );
}

function Size({ draft, set, error }: FieldsProps & { error: (name: string) => string | undefined }) {
  const { size, sizes } = ASSET_TYPES[draft.assetType];
  const side = { min: 16, max: 2048 };
  return (
    <div className="size">
      <div className="columns">
        <NumberField label="Width" {...side} placeholder={String(size[0])} value={draft.width} onChange={(width) => set({ width })} error={error("width")} />
        <NumberField
          label="Height"
          {...side}
          placeholder={String(size[1])}
          value={draft.height}
          onChange={(height) => set({ height })}
          error={error("height")}
        />
      </div>
      <div className="chips" role="group" aria-label="Sizes">
        {sizes.map(([width, height]) => (
          <button
            key={`${width}x${height}`}
            type="button"
            className="chip-button"
            aria-pressed={(draft.width || String(size[0])) === String(width) && (draft.height || String(size[1])) === String(height)}
            onClick={() => set({ width: String(width), height: String(height) })}
          >
            {width === height ? width : `${width} × ${height}`}
          </button>
        ))}
      </div>
    </div>
  );
}

function TileSize({ draft, set, error }: FieldsProps & { error: string | undefined }) {
  return (
    <div className="size">
      <NumberField
        label="Tile size"
        min={8}
        max={256}
        placeholder="32"
        value={draft.tileSize}
        onChange={(tileSize) => set({ tileSize })}
        error={error}
        hint={draft.tileCount === "47" ? "47 tiles, a cell with any neighbors" : "16 tiles, told apart by their corners"}
      />
      <div className="chips" role="group" aria-label="Tile sizes">
        {TILE_SIZES.map((side) => (
          <button
            key={side}
            type="button"
            className="chip-button"
            aria-pressed={(draft.tileSize || "32") === String(side)}
            onClick={() => set({ tileSize: String(side) })}
          >
            {side}
          </button>
        ))}
      </div>
      <Choice
        label="Tiles"
        value={draft.tileCount}
        onChange={(tileCount) => set({ tileCount })}
        options={TILE_COUNTS.map((value) => ({ value, label: value }))}
      />
    </div>
  );
}

function SeedField({ draft, set, error }: FieldsProps & { error: string | undefined }) {
  const roll = () => set({ seed: String(crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1) });
  return (
    <div className="seed">
      <NumberField label="Seed" min={0} placeholder="random" value={draft.seed} onChange={(seed) => set({ seed })} error={error} />
      <button type="button" className="quiet square" onClick={roll} aria-label="Roll a seed" title="Roll a seed">
        <Icon name="dice" />
      </button>
    </div>
  );
}
