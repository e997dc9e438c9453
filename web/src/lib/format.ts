// Numbers, sizes and times as the page writes them.

const UNITS = ["B", "kB", "MB", "GB"] as const;

/** "812 B", "14.2 kB": three significant digits at most, in steps of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** "0.2 s", "14 s", "3 min 05 s", "2 h 10 min". */
export function formatSeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** "just now", "5 min ago", "3 h ago", then the date. */
export function formatAge(then: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(then)) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return new Date(then).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

/** Time of day with seconds, on this machine's clock. */
export function formatClock(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

export function formatPercent(fraction: number | null): string {
  return fraction === null ? "–" : `${Math.round(fraction * 100)} %`;
}

/** "TILESET" becomes "Tileset", "PROMPT_BUILDER" becomes "Prompt builder". */
export function humanize(constant: string): string {
  const words = constant.toLowerCase().replaceAll("_", " ");
  return constant === "UI" ? constant : words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * How much to enlarge a picture in a box: the largest whole number of device pixels for each picture pixel, so that all
 * stay square and equal; below 1 when the picture is larger than the box.
 */
export function fitScale(width: number, height: number, boxWidth: number, boxHeight: number, pixelRatio = 1): number {
  const fit = Math.min(boxWidth / width, boxHeight / height);
  if (!(fit > 0)) return 1;
  const devicePixels = fit * pixelRatio;
  return devicePixels >= 1 ? Math.floor(devicePixels) / pixelRatio : fit;
}
