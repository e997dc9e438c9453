import { useState } from "react";
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
            <CopyAddress asset={asset} />
            <a className="button square" href={asset.url} download={asset.name} aria-label={`Download ${asset.name}`} title="Download">
              <Icon name="download" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Copies a file's address. Browsers allow it on https and on the own machine only: elsewhere there is no button. */
function CopyAddress({ asset }: { asset: AssetDetail }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  if (!("clipboard" in navigator)) return null;
  const told = copied === null ? `Copy the address of ${asset.name}` : copied ? "Copied" : "The browser did not allow it";
  const copy = () => {
    const address = new URL(asset.url, location.href).href;
    navigator.clipboard.writeText(address).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" className="square" onClick={copy} onBlur={() => setCopied(null)} aria-label={told} title={told}>
      <Icon name={copied === null ? "copy" : copied ? "check" : "alert"} />
      <span className="hidden" role="status">
        {copied === null ? "" : told}
      </span>
    </button>
  );
}
