import { useId, useState } from "react";
import { parseColors, recolor } from "../lib/palette";
import { Icon } from "./icons";

const MAX_COLORS = 256;
const PRESETS: readonly { name: string; colors: readonly string[] }[] = [
  { name: "Meadow", colors: ["#1b2b34", "#2f5d50", "#4f9d5d", "#a7d46f", "#f4f1bb", "#e0a458", "#8c4f3a", "#5bb0d8"] },
  { name: "Dungeon", colors: ["#12121c", "#2a2a3c", "#4b4a5e", "#7d7a8c", "#c9c4b8", "#8f3b3b", "#d9903d", "#3f6b6b"] },
  { name: "Neon", colors: ["#0d0221", "#261447", "#5a189a", "#ff3864", "#ff9e00", "#2de2e6", "#f6f740", "#f8f8ff"] },
  { name: "Candy", colors: ["#3d2645", "#832161", "#f0689a", "#ffb5c5", "#fff3e4", "#8fd3e8", "#5c7cfa", "#ffd166"] },
];

interface PaletteEditorProps {
  palette: readonly string[];
  onChange: (palette: string[]) => void;
  error: string | undefined;
}

export function PaletteEditor({ palette, onChange, error }: PaletteEditorProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const addTyped = () => {
    const colors = parseColors(typed);
    if (colors.length === 0) return;
    onChange([...new Set([...palette, ...colors])].slice(0, MAX_COLORS));
    setTyped("");
  };
  return (
    <fieldset className="palette">
      <legend>Palette</legend>
      <ul className="palette-colors">
        {palette.map((color, index) => (
          <li key={`${index}-${palette.length}`}>
            <input
              type="color"
              aria-label={`Color ${index + 1}, ${color}`}
              value={color.slice(0, 7)}
              onChange={(event) => onChange(palette.with(index, recolor(color, event.target.value)))}
            />
            <button type="button" aria-label={`Remove color ${index + 1}`} onClick={() => onChange(palette.toSpliced(index, 1))}>
              <Icon name="close" />
            </button>
          </li>
        ))}
        {palette.length < MAX_COLORS && (
          <li>
            <button type="button" className="palette-add" aria-label="Add a color" onClick={() => onChange([...palette, "#8b97ff"])}>
              <Icon name="plus" />
            </button>
          </li>
        )}
      </ul>
      {palette.length === 0 && <p className="field-hint">Empty: any color is allowed.</p>}
      <div className="row wrap">
        <label htmlFor={id} className="hidden">
          Colors to add, as hex codes
        </label>
        <input
          id={id}
          className="grow mono"
          placeholder="Paste hex codes: #1b2b34 #a7d46f …"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            addTyped();
          }}
        />
        <button type="button" onClick={addTyped} disabled={parseColors(typed).length === 0}>
          Add
        </button>
      </div>
      <div className="row wrap presets">
        {PRESETS.map(({ name, colors }) => (
          <button key={name} type="button" className="preset" onClick={() => onChange([...colors])} aria-label={`Use the palette ${name}`}>
            <span className="swatches" aria-hidden="true">
              {colors.map((color) => (
                <span key={color} style={{ background: color }} />
              ))}
            </span>
            {name}
          </button>
        ))}
        {palette.length > 0 && (
          <button type="button" className="quiet" onClick={() => onChange([])}>
            Clear
          </button>
        )}
      </div>
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
