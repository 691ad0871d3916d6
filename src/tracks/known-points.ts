import { ElementReader } from "./element-reader.js";
import { PointShape } from "./point-shape.js";
import type { TrackPoint } from "./track-rows.js";

/** Maximum depth of the elements in a point, which are usually nested about four levels deep. */
export const MAX_POINT_DEPTH = 16;
/** Maximum number of shapes. The points of a file have only a few different shapes, for example with and without a heart rate. */
const MAX_SHAPES = 8;
/** The number by which points with new shapes may exceed the points with known shapes. */
const MAX_NEW = 64;
const MAX_POINT_LENGTH = 4096;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads points that have the shape of earlier points. */
export class KnownPoints {
  /** Number of line ends in all texts that were read. */
  lines = 0;
  /** The most recently used shape is the first. */
  readonly #shapes: PointShape[] = [];
  /** Remaining number of points with new shapes that are allowed. */
  #newLeft = MAX_NEW;
  #spaceLines = 0;

  /** Whether enough points have known shapes. Otherwise, comparing shapes takes more time than it saves. */
  get areFrequent(): boolean {
    return this.#newLeft > 0;
  }

  /** Adds the shape of a point that the parser has read, if the shape is new. */
  learn(point: string, root: string): void {
    if (this.#shapes.some((shape) => shape.read(point, 0) !== null)) return;
    this.#newLeft -= 1;
    if (point.length > MAX_POINT_LENGTH) return;
    const shape = PointShape.of(point, (element) => onlyPoint(`<${root}>${element}</${root}>`));
    if (shape === null) return;
    this.#shapes.unshift(shape);
    this.#shapes.length = Math.min(this.#shapes.length, MAX_SHAPES);
  }

  /**
   * Reads consecutive points, starting at `from`.
   *
   * @returns the position after the last one; `from` if there is none
   */
  read(text: string, from: number, add: (point: TrackPoint) => void): number {
    let end = from;
    for (;;) {
      const begin = this.#skipSpace(text, end);
      const shape = this.#readPoint(text, begin, add);
      if (shape === null) return end;
      this.lines += this.#spaceLines + shape.lines;
      this.#newLeft = Math.min(MAX_NEW, this.#newLeft + 1);
      end = shape.end;
    }
  }

  #readPoint(text: string, begin: number, add: (point: TrackPoint) => void): PointShape | null {
    for (let i = 0; i < this.#shapes.length; i++) {
      const shape = this.#shapes[i] as PointShape;
      const point = shape.read(text, begin);
      if (point === null) continue;
      if (i > 0) {
        this.#shapes.splice(i, 1);
        this.#shapes.unshift(shape);
      }
      add(point);
      return shape;
    }
    return null;
  }

  #skipSpace(text: string, from: number): number {
    let lines = 0;
    let at = from;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED))
        lines += 1;
      else if (code !== SPACE && code !== TAB && code !== CARRIAGE_RETURN) break;
    }
    this.#spaceLines = lines;
    return at;
  }
}

class Unreadable extends Error {}

/** Returns the only point in a document; null if there are no points, several points, or an error. */
function onlyPoint(document: string): TrackPoint | null {
  const points: TrackPoint[] = [];
  const rows = {
    add: (point: TrackPoint) => void points.push(point),
    startSegment() {
      throw new Unreadable("the text of a point begins a segment");
    },
    speedUnit: "m/s" as const,
  };
  try {
    const reader = new ElementReader(rows, 1 + MAX_POINT_DEPTH, (message) => {
      throw new Unreadable(message);
    });
    reader.write(document);
    reader.end();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
  return points.length === 1 ? (points[0] ?? null) : null;
}
