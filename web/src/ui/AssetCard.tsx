import type { Task } from "../api/types";
import { cardPictures, mainAssets } from "../lib/assets";
import { ASSET_TYPES } from "../lib/draft";
import { formatAge } from "../lib/format";
import { useMovement } from "./hooks";
import { TypeIcon } from "./icons";
import { PixelImage } from "./PixelImage";

interface AssetCardProps {
  task: Task;
  onOpen: (taskId: string) => void;
  onStale: () => void;
}

export function AssetCard({ task, onOpen, onStale }: AssetCardProps) {
  const movement = useMovement();
  const pictures = cardPictures(task, movement);
  const [main] = mainAssets(task.assets);
  const files = `${task.assets.length} ${task.assets.length === 1 ? "file" : "files"}`;
  return (
    <li className="card" data-task={task.id}>
      <button type="button" className="card-open" onClick={() => onOpen(task.id)}>
        <span className="card-stage checker" data-pictures={pictures.length}>
          {pictures.map((asset) => (
            <PixelImage key={asset.id} asset={asset} alt={task.prompt} small onStale={onStale} />
          ))}
          {pictures.length === 0 && <TypeIcon type={task.assetType} size={40} />}
        </span>
        <span className="card-text">
          <span className="card-prompt" dir="auto">
            {task.prompt}
          </span>
          <span className="card-facts">
            <TypeIcon type={task.assetType} size={12} />
            <span>
              {ASSET_TYPES[task.assetType].label}
              {main?.width && main.height ? ` · ${main.width} × ${main.height}` : ""} · {files}
            </span>
          </span>
          <span className="card-facts faint">
            {formatAge(task.finishedAt ?? task.createdAt, Date.now())}
            {task.degraded && <span className="badge warn">below quality</span>}
          </span>
        </span>
      </button>
    </li>
  );
}
