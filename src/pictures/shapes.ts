/** A point in pixels from the top left corner. */
export interface Point {
  x: number;
  y: number;
}

/** Parts of a picture, in painting order. Colours have the form `#rrggbb`; lengths are in pixels. */
export type Shape =
  | { kind: "lines"; lines: readonly (readonly Point[])[]; color: string; width: number }
  | { kind: "box"; x: number; y: number; width: number; height: number; fill: string; radius?: number }
  | {
      kind: "text";
      x: number;
      /** The y coordinate of the baseline. */
      y: number;
      text: string;
      size: number;
      color: string;
      anchor?: "start" | "middle" | "end";
      isBold?: boolean;
    };

export interface Picture {
  width: number;
  height: number;
  /** A description for screen readers. */
  title: string;
  shapes: readonly Shape[];
}
