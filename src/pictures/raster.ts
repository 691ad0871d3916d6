import type { Picture, Point, Shape } from "./shapes.js";
import { drawnText } from "./stroke-font.js";

/** Pixels in rows from the top, with three bytes each for red, green and blue. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/** Width of the pen as a share of the font size. */
const PEN = 0.085;
const BOLD_PEN = 0.135;

/** Draws a picture as pixels. `scale` is the number of result pixels for each pixel of the picture. */
export function toPixels({ width, height, shapes }: Picture, scale: number): Pixels {
  const raster = new Raster(Math.round(width * scale), Math.round(height * scale));
  for (const shape of shapes) draw(raster, shape, scale);
  return { width: raster.width, height: raster.height, rgb: raster.rgb };
}

function draw(raster: Raster, shape: Shape, scale: number): void {
  switch (shape.kind) {
    case "lines":
      for (const line of shape.lines) raster.stroke(line, scale, 0, 0, shape.width * scale);
      raster.paint(shape.color);
      return;
    case "box": {
      const { x, y, width, height, fill, radius = 0 } = shape;
      if (width <= 0 || height <= 0) return;
      raster.box(x * scale, y * scale, width * scale, height * scale, radius * scale);
      raster.paint(fill);
      return;
    }
    case "text": {
      const { x, y, text, size, color, anchor = "start", isBold = false } = shape;
      const pen = size * (isBold ? BOLD_PEN : PEN);
      const drawn = drawnText(text, size, pen);
      const left = x - (anchor === "start" ? -pen / 2 : anchor === "middle" ? drawn.width / 2 : drawn.width);
      for (const stroke of drawn.strokes) raster.stroke(stroke, scale, left * scale, y * scale, pen * scale);
      raster.paint(color);
    }
  }
}

/**
 * A white image on which shapes are painted. The coverage of each pixel by a shape is computed first, so that parts of a shape may overlap.
 */
class Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  /** Coverage of each pixel, 0 to 255. */
  readonly #coverage: Uint8Array;
  /** The part of `#coverage` that is not 0, as ranges of rows and columns whose ends are exclusive. */
  #dirty = { left: Infinity, top: Infinity, right: 0, bottom: 0 };

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.rgb = new Uint8Array(3 * width * height).fill(255);
    this.#coverage = new Uint8Array(width * height);
  }

  /** Draws a line with round ends and corners. Points are scaled, then moved. */
  stroke(points: readonly Point[], scale: number, left: number, top: number, width: number): void {
    const [first] = points;
    let from = first;
    for (const to of points.length === 1 ? points : points.slice(1)) {
      if (from === undefined) return;
      this.#segment(
        from.x * scale + left,
        from.y * scale + top,
        to.x * scale + left,
        to.y * scale + top,
        width / 2,
      );
      from = to;
    }
  }

  box(x: number, y: number, width: number, height: number, radius: number): void {
    const [centreX, centreY] = [x + width / 2, y + height / 2];
    this.#cover(x, y, x + width, y + height, (px, py) => {
      // distance from the box without its corners
      const dx = Math.abs(px - centreX) - width / 2 + radius;
      const dy = Math.abs(py - centreY) - height / 2 + radius;
      const outside = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
      return 0.5 - outside;
    });
  }

  /** Paints the covered pixels. `color` has the form `#rrggbb`. */
  paint(color: string): void {
    const { left, top, right, bottom } = this.#dirty;
    const value = Number.parseInt(color.slice(1), 16);
    const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255];
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const pixel = y * this.width + x;
        const covered = this.#coverage[pixel] ?? 0;
        if (covered === 0) continue;
        this.#coverage[pixel] = 0;
        this.#blend(3 * pixel, red, covered);
        this.#blend(3 * pixel + 1, green, covered);
        this.#blend(3 * pixel + 2, blue, covered);
      }
    }
    this.#dirty = { left: Infinity, top: Infinity, right: 0, bottom: 0 };
  }

  #blend(at: number, channel: number, covered: number): void {
    const below = this.rgb[at] ?? 0;
    this.rgb[at] = below + Math.round(((channel - below) * covered) / 255);
  }

  #segment(x0: number, y0: number, x1: number, y1: number, radius: number): void {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const lengthSquared = dx * dx + dy * dy;
    const [left, right] = [Math.min(x0, x1) - radius, Math.max(x0, x1) + radius];
    const [top, bottom] = [Math.min(y0, y1) - radius, Math.max(y0, y1) + radius];
    this.#cover(left, top, right, bottom, (x, y) => {
      const along = lengthSquared === 0 ? 0 : ((x - x0) * dx + (y - y0) * dy) / lengthSquared;
      const t = Math.min(1, Math.max(0, along));
      // a pixel with its centre on the edge is half covered
      return radius + 0.5 - Math.hypot(x - x0 - t * dx, y - y0 - t * dy);
    });
  }

  #cover(
    left: number,
    top: number,
    right: number,
    bottom: number,
    coverageAt: (x: number, y: number) => number,
  ): void {
    const fromX = Math.max(0, Math.floor(left - 1));
    const toX = Math.min(this.width, Math.ceil(right + 1));
    const fromY = Math.max(0, Math.floor(top - 1));
    const toY = Math.min(this.height, Math.ceil(bottom + 1));
    if (!(fromX < toX && fromY < toY)) return;
    const dirty = this.#dirty;
    this.#dirty = {
      left: Math.min(dirty.left, fromX),
      top: Math.min(dirty.top, fromY),
      right: Math.max(dirty.right, toX),
      bottom: Math.max(dirty.bottom, toY),
    };
    for (let y = fromY; y < toY; y++) {
      for (let x = fromX; x < toX; x++) {
        const covered = Math.round(255 * Math.min(1, Math.max(0, coverageAt(x + 0.5, y + 0.5))));
        const pixel = y * this.width + x;
        if (covered > (this.#coverage[pixel] ?? 0)) this.#coverage[pixel] = covered;
      }
    }
  }
}
