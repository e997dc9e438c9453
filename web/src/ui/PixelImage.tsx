import { useRef } from "react";
import type { Asset } from "../api/types";
import { fitScale } from "../lib/format";
import { useSize } from "./hooks";

/** Every answer signs a new address; a file that is gone for good must not make the page ask without end. */
const STALE_EVERY_MS = 60_000;

interface PixelImageProps {
  asset: Asset;
  alt: string;
  /** A fixed enlargement instead of the one that fits. */
  scale?: number | null;
  /** Whether its box is small, so that its thumbnail will do. */
  small?: boolean;
  /** Called when the picture cannot be loaded, most likely because its signed address has expired. */
  onStale?: () => void;
}

/** A picture in the middle of its box, enlarged by a whole number with hard edges, or made smaller to fit. */
export function PixelImage({ asset, alt, scale = null, small = false, onStale }: PixelImageProps) {
  const ref = useRef<HTMLSpanElement>(null);
  const box = useSize(ref);
  const failedAtMs = useRef(Number.NEGATIVE_INFINITY);
  const { width, height, url } = asset;
  let size: { width: number; height: number } | undefined;
  if (width && height && box.width > 0) {
    const by = scale ?? fitScale(width, height, box.width, box.height, devicePixelRatio);
    size = { width: width * by, height: height * by };
  }
  const smaller = size && width ? size.width < width : false;
  return (
    <span ref={ref} className="pixel-box">
      <img
        src={(small && asset.thumbnailUrl) || url}
        alt={alt}
        className={smaller ? "smooth" : "crisp"}
        style={size}
        loading="lazy"
        decoding="async"
        draggable={false}
        onError={() => {
          if (Date.now() - failedAtMs.current < STALE_EVERY_MS) return;
          failedAtMs.current = Date.now();
          onStale?.();
        }}
      />
    </span>
  );
}
