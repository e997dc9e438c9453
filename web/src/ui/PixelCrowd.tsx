import { useEffect, useRef } from "react";

const SIDE = 9;
const CELL = 12;
const PIXEL = 4;
const COLORS = ["#8b97ff", "#5be3c8", "#ffb35c", "#ff7a90", "#c7cdf0", "#6f7cf7"];

/** A small generator of numbers below 1: the same seed, the same crowd. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function drawCreature(context: CanvasRenderingContext2D, left: number, top: number, next: () => number): void {
  const color = COLORS[Math.floor(next() * COLORS.length)] ?? "#8b97ff";
  const half = (SIDE + 1) / 2;
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < half; x += 1) {
      const eye = y === 3 && x === half - 2;
      const solid = next() > 0.28 + 0.055 * Math.hypot(x - half + 1, y - half + 1) ** 1.6;
      if (!solid && !eye) continue;
      context.fillStyle = eye ? "#12141b" : color;
      context.globalAlpha = eye ? 1 : 0.62 + 0.38 * next();
      for (const column of new Set([x, SIDE - 1 - x])) {
        context.fillRect((left + column) * PIXEL, (top + y) * PIXEL, PIXEL, PIXEL);
      }
    }
  }
}

/** A wall of little mirrored creatures, drawn once to the size of the place. */
export function PixelCrowd() {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return;
    const columns = Math.ceil(canvas.clientWidth / (CELL * PIXEL));
    const rows = Math.ceil(canvas.clientHeight / (CELL * PIXEL));
    canvas.width = columns * CELL * PIXEL;
    canvas.height = rows * CELL * PIXEL;
    const next = chance(41);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        if (next() < 0.18) continue;
        drawCreature(context, column * CELL + 1, row * CELL + 1, next);
      }
    }
  }, []);
  return <canvas ref={ref} className="crowd" />;
}
