import { useEffect, useRef } from "react";
import { fieldError } from "../api/errors";
import type { Provider, UserError } from "../api/types";
import { atlasFormatsOf, DITHERS, isSheet, takesOutline } from "../lib/draft";
import { ATLAS_LABELS, type FieldsProps } from "./ComposerFields";
import { Chips, Choice, NumberField, TextField, Toggle } from "./fields";

/** What stands in the fold, as errors name it. */
export const ADVANCED_FIELDS = ["negativePrompt", "paletteSize", "priority", "outline", "outlineColor", "padding", "extrude", "maxSheetSize"] as const;

interface AdvancedProps extends FieldsProps {
  providers: readonly Provider[];
  errors: readonly UserError[];
}

export function AdvancedFields({ draft, set, providers, errors }: AdvancedProps) {
  const { assetType } = draft;
  const fold = useRef<HTMLDetailsElement>(null);
  const error = (name: (typeof ADVANCED_FIELDS)[number]) => fieldError(errors, name);
  // What is wrong inside must be seen: a browser refuses to send a form without a word when the field at fault is folded away.
  const unfold = () => {
    if (fold.current) fold.current.open = true;
  };
  useEffect(() => {
    if (ADVANCED_FIELDS.some((name) => fieldError(errors, name))) unfold();
  }, [errors]);
  const sheet = isSheet(assetType);
  const able = providers.filter((provider) => provider.assetTypes.includes(assetType));
  return (
    <details className="advanced" ref={fold} onInvalidCapture={unfold}>
      <summary>More options</summary>
      <div className="stack">
        <TextField
          label="Never show"
          value={draft.negativePrompt}
          onChange={(negativePrompt) => set({ negativePrompt })}
          placeholder="text, blur …"
          error={error("negativePrompt")}
        />
        <div className="columns">
          {assetType !== "VIDEO" && (
            <NumberField
              label="Most colors"
              min={2}
              max={256}
              placeholder="free"
              value={draft.paletteSize}
              onChange={(paletteSize) => set({ paletteSize })}
              error={error("paletteSize")}
            />
          )}
          <NumberField
            label="Priority"
            min={0}
            max={9}
            placeholder="0"
            value={draft.priority}
            onChange={(priority) => set({ priority })}
            error={error("priority")}
          />
        </div>
        {assetType !== "VIDEO" && (
          <Choice
            label="Dithering, where colors are limited"
            value={draft.dither}
            onChange={(dither) => set({ dither })}
            options={DITHERS.map((value) => ({ value, label: value === "" ? "None" : `${value} × ${value}` }))}
          />
        )}
        {takesOutline(assetType) && draft.transparent && draft.format !== "JPEG" && <Outline draft={draft} set={set} error={error} />}
        {!sheet && atlasFormatsOf(assetType).length > 0 && (
          <Chips
            label={assetType === "VIDEO" ? "Frames as a sheet for" : "Files for"}
            values={draft.atlasFormats}
            onChange={(atlasFormats) => set({ atlasFormats })}
            options={atlasFormatsOf(assetType).map((value) => ({ value, label: ATLAS_LABELS[value] }))}
          />
        )}
        <Toggle label="Prompt and seed inside the files" checked={draft.embedMetadata} onChange={(embedMetadata) => set({ embedMetadata })} />
        {sheet && (
          <>
            <div className="columns">
              <NumberField
                label="Padding"
                min={0}
                max={64}
                placeholder={assetType === "TILESET" ? "0" : "2"}
                value={draft.padding}
                onChange={(padding) => set({ padding })}
                error={error("padding")}
              />
              <NumberField
                label="Extrude"
                min={0}
                max={16}
                placeholder="0"
                value={draft.extrude}
                onChange={(extrude) => set({ extrude })}
                error={error("extrude")}
              />
            </div>
            <NumberField
              label="Largest page"
              min={64}
              max={8192}
              placeholder="4096"
              value={draft.maxSheetSize}
              onChange={(maxSheetSize) => set({ maxSheetSize })}
              error={error("maxSheetSize")}
              hint={assetType === "TILESET" ? "Pixels a side; all tiles share one page" : "Pixels a side; what does not fit goes on further pages"}
            />
            <div className="row wrap toggles">
              {assetType === "SPRITESHEET" && <Toggle label="Trim frames" checked={draft.trim} onChange={(trim) => set({ trim })} />}
              <Toggle label="Power of two" checked={draft.powerOfTwo} onChange={(powerOfTwo) => set({ powerOfTwo })} />
            </div>
          </>
        )}
        <label className="field">
          <span>Provider</span>
          <select value={draft.provider} onChange={(event) => set({ provider: event.target.value })}>
            <option value="">The server's choice</option>
            {able.map(({ name, model, available }) => (
              <option key={name} value={name} disabled={!available}>
                {name} ({model}){available ? "" : ", not available now"}
              </option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}

function Outline({ draft, set, error }: FieldsProps & { error: (name: "outline" | "outlineColor") => string | undefined }) {
  return (
    <>
      <div className="columns">
        <NumberField
          label="Outline"
          min={0}
          max={8}
          placeholder="0"
          value={draft.outline}
          onChange={(outline) => set({ outline })}
          error={error("outline")}
        />
        <TextField
          label="Its color"
          placeholder="one that fits"
          dir="ltr"
          value={draft.outlineColor}
          onChange={(outlineColor) => set({ outlineColor })}
          error={error("outlineColor")}
        />
      </div>
      {Number(draft.outline) > 0 && (
        <Toggle label="Outline around corners, too" checked={draft.outlineCorners} onChange={(outlineCorners) => set({ outlineCorners })} />
      )}
    </>
  );
}
