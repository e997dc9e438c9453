import type { AssetDetail } from "../api/types";
import { formatBytes } from "../lib/format";
import { Icon } from "./icons";

/** Every file of a task, each with its download. */
export function Files({ assets }: { assets: readonly AssetDetail[] }) {
  const archive = assets.find((asset) => asset.role === "archive");
  return (
    <section aria-label="Files">
      <div className="section-head">
        <h3>Files</h3>
        {archive && (
          <a className="button primary" href={archive.url} download={archive.name}>
            <Icon name="download" /> Everything
          </a>
        )}
      </div>
      <ul className="files">
        {assets.map((asset) => (
          <li key={asset.id}>
            <span className="file-name">
              <bdi className="mono">{asset.name}</bdi>
              <span className="faint">
                {asset.role} · {asset.mediaType}
                {asset.width && asset.height ? ` · ${asset.width} × ${asset.height}` : ""} · {formatBytes(asset.sizeBytes)}
              </span>
            </span>
            <a className="button square" href={asset.url} download={asset.name} aria-label={`Download ${asset.name}`} title="Download">
              <Icon name="download" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
