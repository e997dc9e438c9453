import { useState } from "react";
import type { AssetDetail, TaskDetail } from "../api/types";
import { isPicture, nineSliceOf, posterOf, previewChoices } from "../lib/assets";
import { Choice, Toggle } from "./fields";
import { useMovement } from "./hooks";
import { PixelImage } from "./PixelImage";
import { Stretched } from "./Stretched";

const SCALES = ["Fit", "1×", "2×", "4×", "8×"] as const;
const GROUNDS = [
  { value: "checker", label: "Checker" },
  { value: "dark", label: "Dark" },
  { value: "light", label: "Light" },
] as const;

type Scale = (typeof SCALES)[number];
type Ground = (typeof GROUNDS)[number]["value"];

/** The animation's name, as the preview's metadata tells it. */
function animationOf(asset: AssetDetail): string {
  const { metadata } = asset;
  const name = typeof metadata === "object" && metadata !== null && "name" in metadata ? metadata.name : null;
  return typeof name === "string" ? name : asset.name;
}

/** A large look at one of the task's pictures: enlarged, on another ground, or repeated to see its seams. */
export function Preview({ task, onStale }: { task: TaskDetail; onStale: () => void }) {
  const choices = previewChoices(task.assets);
  const movement = useMovement();
  const [chosen, setChosen] = useState<string | null>(null);
  const [scale, setScale] = useState<Scale>("Fit");
  const [ground, setGround] = useState<Ground>("checker");
  const [repeated, setRepeated] = useState(false);
  const [stretched, setStretched] = useState(false);
  const asset = choices.find((item) => item.id === chosen) ?? choices[0];
  if (!asset) return null;
  const by = scale === "Fit" ? null : Number.parseInt(scale, 10);
  const seamless = task.assetType === "BACKGROUND" && task.params.seamless === true;
  const still = (item: AssetDetail) => (isPicture(item) ? item : posterOf(task.assets, item));
  const picture = isPicture(asset);
  const slice = nineSliceOf(asset.metadata);
  return (
    <section className="preview" aria-label="Preview">
      <div className={`preview-stage ${ground}`} tabIndex={0} aria-label="Preview, scrolls when it is larger than its frame">
        {!picture ? (
          <video
            key={asset.id}
            src={asset.url}
            poster={posterOf(task.assets, asset)?.url}
            aria-label={task.prompt}
            controls
            loop
            muted
            playsInline
            autoPlay={movement}
            onError={onStale}
          />
        ) : stretched && slice ? (
          <Stretched key={asset.id} asset={asset} slice={slice} alt={task.prompt} />
        ) : repeated && seamless ? (
          <div className="repeat crisp" role="img" aria-label={`${task.prompt}, repeated`} style={{ backgroundImage: `url("${asset.url}")` }} />
        ) : (
          <PixelImage key={asset.id} asset={asset} alt={task.prompt} scale={by} onStale={onStale} />
        )}
      </div>
      {choices.length > 1 && (
        <div className="strip" role="group" aria-label="Pictures">
          {choices.map((item) => (
            <button key={item.id} type="button" className="strip-item" aria-pressed={item === asset} onClick={() => setChosen(item.id)}>
              <span className="strip-stage checker">{still(item) && <PixelImage asset={still(item) ?? item} alt="" small />}</span>
              <bdi>{item.role === "preview" ? animationOf(item) : item.role}</bdi>
            </button>
          ))}
        </div>
      )}
      {picture && (
        <div className="row wrap preview-tools">
          <Choice label="Zoom" value={scale} onChange={setScale} options={SCALES.map((value) => ({ value, label: value }))} />
          <Choice label="Ground" value={ground} onChange={setGround} options={GROUNDS} />
          {slice && <Toggle label="Stretch" checked={stretched} onChange={setStretched} />}
          {seamless && <Toggle label="Repeat" checked={repeated} onChange={setRepeated} />}
        </div>
      )}
    </section>
  );
}
