import type { TrackPoint, TrackRows } from "./track-rows.js";

/** Handles the elements of one track format in document order. Names have no namespace prefix. */
export interface ElementHandler {
  /** Whether the last opened element is a point, or is inside a point. */
  readonly isInPoint: boolean;
  /** @param depth depth of the element; the depth of the root is 1 */
  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void;
  text(text: string): void;
  close(name: string, depth: number): void;
  /** Receives a complete point instead of its elements. */
  add(point: TrackPoint): void;
}

/** Receives the points. */
export type PointTaker = Pick<TrackRows, "add" | "startSegment" | "speedUnit">;

/** Throws `BAD_TRACK` with a message and the current line. */
export type Fail = (message: string) => never;
