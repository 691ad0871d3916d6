import { indexAt } from "../view/instants.js";
import { isWhole, type TimeWindow } from "../view/window.js";
import type { Drawing } from "./drawing.js";
import { drawHeat } from "./heat.js";
import { type Colour, FADED, ramp, STEPS, trackColour } from "./palette.js";
import type { Track } from "./projection.js";
import { Canvas } from "./strokes.js";

/** A track and its visible part, with times of its recording. */
export interface DrawnTrack {
  track: Track;
  shown: TimeWindow;
  /** Number of the recording. It determines the colour in a comparison. */
  number: number;
}

// CSS pixels; lines are thinner if several tracks overlap
const RADIUS = 1.25;
const RADIUS_AMONG_OTHERS = 0.8;
// Rows that are closer to the previous one on the screen are skipped.
const SHORTEST_LINE = 0.8; // device pixels
const SHORTEST_LINE_OF_MANY = 1.6;
const MANY_ROWS = 200_000;

/** Draws tracks as RGBA bytes. Hidden parts are faded and lie below all visible ones. */
export function drawTracks(drawing: Drawing, tracks: readonly DrawnTrack[]): Uint8ClampedArray<ArrayBuffer> {
  const canvas = new Canvas(drawing.width, drawing.height);
  for (const { track, shown } of tracks) {
    if (!isShownWhole(track, shown)) {
      const faded = FADED[drawing.theme];
      drawLines(canvas, drawing, track, 0, track.timesMs.length, () => faded);
    }
  }
  for (const { track, shown, number } of tracks) {
    const from = indexAt(track.timesMs, shown.startMs);
    const to = indexAt(track.timesMs, shown.stopMs + 1);
    if (drawing.colouring === "heat") drawHeat(canvas, drawing, track, from, to);
    else drawLines(canvas, drawing, track, from, to, colourOf(drawing, track, from, to, number));
  }
  return canvas.data;
}

function isShownWhole({ timesMs }: Track, shown: TimeWindow): boolean {
  const first = timesMs[0];
  const last = timesMs.at(-1);
  if (first === undefined || last === undefined) return true;
  return isWhole(shown, { startMs: first, stopMs: last });
}

function colourOf(
  { colouring, theme, fastest }: Drawing,
  { timesMs, speed }: Track,
  from: number,
  to: number,
  number: number,
): (row: number) => Colour {
  if (colouring === "recording") {
    const colour = trackColour(number, theme);
    return () => colour;
  }
  const bytes = ramp(colouring === "time" ? "time" : "speed", theme);
  const colours = Array.from(
    { length: STEPS },
    (_, i): Colour => [bytes[3 * i] as number, bytes[3 * i + 1] as number, bytes[3 * i + 2] as number],
  );
  const coloured = (share: number) =>
    colours[Math.min(STEPS - 1, Math.max(0, Math.floor(share * STEPS)))] as Colour;
  if (colouring === "time") {
    const startMs = timesMs[from] ?? 0;
    const lengthMs = Math.max(1, (timesMs[to - 1] ?? startMs) - startMs);
    return (row) => coloured(((timesMs[row] as number) - startMs) / lengthMs);
  }
  return (row) => coloured((speed[row] as number) / fastest);
}

function drawLines(
  canvas: Canvas,
  { width, height, pixelRatio, camera, colouring }: Drawing,
  { east, north, gapsAfter }: Track,
  from: number,
  to: number,
  colour: (row: number) => Colour,
): void {
  const scale = camera.scale * pixelRatio;
  const radius = (colouring === "recording" ? RADIUS_AMONG_OTHERS : RADIUS) * pixelRatio;
  const shortest = to - from > MANY_ROWS ? SHORTEST_LINE_OF_MANY : SHORTEST_LINE;
  const shortestSquared = (shortest * pixelRatio) ** 2;
  let x = 0;
  let y = 0;
  for (let row = from; row < to; row++) {
    const nextX = width / 2 + ((east[row] as number) - camera.east) * scale;
    const nextY = height / 2 - ((north[row] as number) - camera.north) * scale;
    const isJoined = row > from && !gapsAfter.has(row - 1);
    if (!isJoined) {
      // a single row is a dot
      canvas.line(nextX, nextY, nextX, nextY, radius, colour(row));
    } else {
      const squared = (nextX - x) ** 2 + (nextY - y) ** 2;
      if (squared < shortestSquared) continue;
      canvas.line(x, y, nextX, nextY, radius, colour(row));
    }
    x = nextX;
    y = nextY;
  }
}
