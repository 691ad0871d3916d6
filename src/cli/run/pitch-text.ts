import type { PitchFrame } from "../../metrics/index.js";
import { decimalText } from "../../pictures/figure-text.js";
import type { ShapeRow } from "./pitch-rows.js";

const HEADS = ["frames", "players", "centroid", "stretch", "area", "length", "width"];
const UNITS = ["", "", "m, m", "m", "m2", "m", "m"];
const WIDTH = 13;

/** Formats the table of `asi pitch` for a terminal. */
export function pitchText(
  { length, width, rotationDeg, cornerRms }: PitchFrame,
  rows: readonly ShapeRow[],
): string {
  const nameWidth = Math.max(12, ...rows.map(({ period }) => (period ?? "").length + 2));
  const line = (label: string, cells: readonly string[]) =>
    `${label.padEnd(nameWidth)}${cells.map((cell) => ` ${cell}`.padStart(WIDTH)).join("")}`.trimEnd();
  const metres = (value: number) => decimalText(value, 1);
  return `${[
    `Pitch of ${metres(length)} x ${metres(width)} m, its touchline turned by ${metres(rotationDeg)} degrees from east, corners ${decimalText(cornerRms, 2)} m off`,
    line("", HEADS),
    line("", UNITS),
    ...rows.map(({ period, frames, players, shape }) =>
      line(period ?? "Session", [
        String(frames),
        players === null ? "–" : metres(players),
        ...(shape === null
          ? HEADS.slice(2).map(() => "–")
          : [
              `${metres(shape.centroid.x)}, ${metres(shape.centroid.y)}`,
              metres(shape.stretch_index),
              decimalText(shape.surface_area, 0),
              metres(shape.length),
              metres(shape.width),
            ]),
      ]),
    ),
  ].join("\n")}\n`;
}
