import { useState } from "react";
import type { AssetDetail } from "../api/types";
import type { NineSlice } from "../lib/assets";

/** How much larger than the picture it can be drawn. */
const LARGEST = 4;

/** A part of an interface as an engine draws it at any size: corners kept, edges and middle stretched. */
export function Stretched({ asset, slice, alt }: { asset: AssetDetail; slice: NineSlice; alt: string }) {
  const ownWidth = asset.width ?? 0;
  const ownHeight = asset.height ?? 0;
  const [width, setWidth] = useState(ownWidth * 2);
  const [height, setHeight] = useState(ownHeight);
  const { left, top, right, bottom } = slice;
  return (
    <div className="stretched">
      <div className="stretched-room">
        <div
          className="stretched-part crisp"
          role="img"
          aria-label={`${alt}, ${width} × ${height}`}
          style={{
            width,
            height,
            borderStyle: "solid",
            borderWidth: `${top}px ${right}px ${bottom}px ${left}px`,
            borderImage: `url("${asset.url}") ${top} ${right} ${bottom} ${left} fill stretch`,
          }}
        />
      </div>
      <Slider label="Width" least={left + right + 1} most={ownWidth * LARGEST} value={width} onChange={setWidth} />
      <Slider label="Height" least={top + bottom + 1} most={ownHeight * LARGEST} value={height} onChange={setHeight} />
    </div>
  );
}

interface SliderProps {
  label: string;
  least: number;
  most: number;
  value: number;
  onChange: (value: number) => void;
}

function Slider({ label, least, most, value, onChange }: SliderProps) {
  return (
    <label className="slider">
      <span>{label}</span>
      <input type="range" min={least} max={most} value={value} onChange={(event) => onChange(Number(event.target.value))} />
      <output className="mono">{value}</output>
    </label>
  );
}
