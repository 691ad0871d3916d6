import type { Colour } from "./palette.js";

/** An image of non-premultiplied RGBA bytes, for lines with soft edges. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly #words: Uint32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    const buffer = new ArrayBuffer(width * height * 4);
    this.data = new Uint8ClampedArray(buffer);
    this.#words = new Uint32Array(buffer);
  }

  /** Draws a line with round ends. It extends `radius` pixels to each side. */
  line(x0: number, y0: number, x1: number, y1: number, radius: number, colour: Colour): void {
    const clipped = clip(x0, y0, x1, y1, radius + 1, this.width, this.height);
    if (clipped === null) return;
    const [fromX, fromY, toX, toY] = clipped;
    // A short piece has a small bounding rectangle in any direction.
    const pieces = Math.max(1, Math.ceil(Math.hypot(toX - fromX, toY - fromY) / LONGEST_PIECE));
    const dx = (toX - fromX) / pieces;
    const dy = (toY - fromY) / pieces;
    for (let i = 0; i < pieces; i++) {
      this.#piece(fromX + i * dx, fromY + i * dy, dx, dy, radius, colour);
    }
  }

  #piece(x: number, y: number, dx: number, dy: number, radius: number, colour: Colour): void {
    const reach = radius + 0.5;
    const left = Math.max(0, Math.floor(Math.min(x, x + dx) - reach));
    const right = Math.min(this.width - 1, Math.ceil(Math.max(x, x + dx) + reach));
    const top = Math.max(0, Math.floor(Math.min(y, y + dy) - reach));
    const bottom = Math.min(this.height - 1, Math.ceil(Math.max(y, y + dy) + reach));
    const lengthSquared = dx * dx + dy * dy;
    const inverse = lengthSquared === 0 ? 0 : 1 / lengthSquared;
    const inner = radius - 0.5;
    const innerSquared = inner > 0 ? inner * inner : -1;
    const reachSquared = reach * reach;
    const [red, green, blue] = colour;
    const word = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
    for (let row = top; row <= bottom; row++) {
      const offsetY = row + 0.5 - y;
      for (let column = left; column <= right; column++) {
        const offsetX = column + 0.5 - x;
        let along = (offsetX * dx + offsetY * dy) * inverse;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        const acrossX = offsetX - along * dx;
        const acrossY = offsetY - along * dy;
        const squared = acrossX * acrossX + acrossY * acrossY;
        if (squared >= reachSquared) continue;
        const at = row * this.width + column;
        if (squared <= innerSquared) this.#words[at] = word;
        else this.#blend(at * 4, red, green, blue, reach - Math.sqrt(squared));
      }
    }
  }

  #blend(at: number, red: number, green: number, blue: number, alpha: number): void {
    const { data } = this;
    const below = ((data[at + 3] as number) / 255) * (1 - alpha);
    const sum = alpha + below;
    const share = alpha / sum;
    data[at] = (data[at] as number) + (red - (data[at] as number)) * share;
    data[at + 1] = (data[at + 1] as number) + (green - (data[at + 1] as number)) * share;
    data[at + 2] = (data[at + 2] as number) + (blue - (data[at + 2] as number)) * share;
    data[at + 3] = sum * 255;
  }
}

const LONGEST_PIECE = 12;

// Returns the part of a line inside the picture and `margin` around it (Liang and Barsky, 1984), or null if there is none.
function clip(
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  margin: number,
  width: number,
  height: number,
): [number, number, number, number] | null {
  const dx = x1 - x0;
  const dy = y1 - y0;
  let enter = 0;
  let leave = 1;
  const edges: [number, number][] = [
    [-dx, x0 + margin],
    [dx, width + margin - x0],
    [-dy, y0 + margin],
    [dy, height + margin - y0],
  ];
  for (const [towards, distance] of edges) {
    if (towards === 0) {
      if (distance < 0) return null;
    } else if (towards < 0) {
      enter = Math.max(enter, distance / towards);
    } else {
      leave = Math.min(leave, distance / towards);
    }
  }
  if (!(enter <= leave)) return null;
  return [x0 + enter * dx, y0 + enter * dy, x0 + leave * dx, y0 + leave * dy];
}
