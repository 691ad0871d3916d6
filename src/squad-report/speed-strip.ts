import { timeTicks } from "../pictures/ticks.js";
import { damageOf, type Interval, type SquadMember } from "../squad/index.js";

/** Mean and highest speeds of a player in columns of equal duration; NaN in a column without data. */
export interface SpeedColumns {
  meanKmPerH: Float64Array;
  highestKmPerH: Float64Array;
  /** For each damaged part, the index of its first column and of the one after its last. */
  damage: readonly { from: number; to: number }[];
}

const KM_PER_H_OF_MM_PER_S = 0.0036;

/**
 * Averages the speeds of a player over columns.
 *
 * @param limitMPerS faster rows are ignored, as in the figures
 */
export function speedColumns(
  { recordings }: SquadMember,
  { startMs, endMs }: Interval,
  columns: number,
  limitMPerS: number,
): SpeedColumns {
  const sums = new Float64Array(columns);
  const counts = new Uint32Array(columns);
  const highestKmPerH = new Float64Array(columns).fill(Number.NaN);
  const scale = columns / Math.max(1, endMs - startMs);
  for (const { samples } of recordings) {
    for (let i = 0; i < samples.length; i++) {
      const column = Math.floor(((samples.timestampMs[i] ?? 0) - startMs) * scale);
      const speedMmPerS = samples.speedMmPerS[i] ?? 0;
      if (column < 0 || column >= columns || speedMmPerS < 0 || speedMmPerS > limitMPerS * 1000) continue;
      const speed = speedMmPerS * KM_PER_H_OF_MM_PER_S;
      sums[column] = (sums[column] ?? 0) + speed;
      counts[column] = (counts[column] ?? 0) + 1;
      if (!((highestKmPerH[column] ?? 0) >= speed)) highestKmPerH[column] = speed;
    }
  }
  const damage = recordings
    .flatMap((one) => damageOf(one))
    .map((gap) => {
      const from = Math.floor((gap.startMs - startMs) * scale);
      return { from, to: Math.max(from + 1, Math.ceil((gap.endMs - startMs) * scale)) };
    })
    .filter(({ from, to }) => from < columns && to > 0);
  return { meanKmPerH: sums.map((sum, i) => sum / (counts[i] || Number.NaN)), highestKmPerH, damage };
}

/** Number of columns in the strips of a table. */
export const STRIP_COLUMNS = 240;

/** Colours of a strip for speeds from 0 to the maximum, slow to fast. */
const COLOURS = [
  "#e2e8f2",
  "#c0d2e8",
  "#9ebcdb",
  "#6d9dd0",
  "#3b7dc4",
  "#5660be",
  "#7042b8",
  "#9a3794",
  "#c42c70",
];
const FASTEST_KM_PER_H = 16;

/** Number of columns from one line of the hatching to the next, and number of columns that a line crosses. */
const HATCH = { step: 3, slope: 9 };
const DAMAGE_COLOUR = "#c0261c";

function hatching({ from, to }: { from: number; to: number }): string {
  const width = to - from;
  let lines = "";
  for (let x = -HATCH.slope; x < width; x += HATCH.step) lines += `M${x} 1L${x + HATCH.slope} 0`;
  return `<svg x="${from}" width="${width}" height="1" viewBox="0 0 ${width} 1" preserveAspectRatio="none"><path fill="#fff" d="M0 0h${width}v1H0z"/><path stroke="${DAMAGE_COLOUR}" stroke-width="1.2" vector-effect="non-scaling-stroke" d="${lines}"/></svg>`;
}

/**
 * Draws a strip that shows mean speeds as colours. Columns without data are empty; damaged parts are hatched. A column is one unit wide.
 */
export function speedStrip({ meanKmPerH, damage }: SpeedColumns, label: string): string {
  const paths = COLOURS.map(() => "");
  let at = 0;
  while (at < meanKmPerH.length) {
    const colour = colourOf(meanKmPerH[at]);
    let end = at + 1;
    while (end < meanKmPerH.length && colourOf(meanKmPerH[end]) === colour) end += 1;
    if (colour !== null) paths[colour] += `M${at} 0h${end - at}v1H${at}z`;
    at = end;
  }
  const drawn = paths
    .map((path, i) => (path === "" ? "" : `<path fill="${COLOURS[i]}" d="${path}"/>`))
    .join("");
  return `<svg class="strip" role="img" aria-label="${label}" viewBox="0 0 ${meanKmPerH.length} 1" preserveAspectRatio="none">${drawn}${damage.map(hatching).join("")}</svg>`;
}

/** The legend for the colours of strips: a patch for each colour, between the speeds of the first and the last. */
export const SPEED_LEGEND = {
  from: "0",
  to: `${FASTEST_KM_PER_H} km/h and more`,
  /** The patches as SVG. */
  picture: `<svg class="legend" role="img" aria-label="Colours from slow to fast" viewBox="0 0 ${COLOURS.length * 14} 8">${COLOURS.map((colour, i) => `<path fill="${colour}" d="M${i * 14} 0h14v8H${i * 14}z"/>`).join("")}</svg>`,
} as const;

/** Returns the times above a strip, with their places as shares of its width. They are far enough from the ends for their texts. */
export function stripTimes(
  { startMs, endMs }: Interval,
  offsetMs: number,
): { share: number; text: string }[] {
  return timeTicks(startMs, endMs, STRIP_TIMES, offsetMs)
    .map(({ ms, label }) => ({ share: (ms - startMs) / Math.max(1, endMs - startMs), text: label }))
    .filter(({ share }) => share > 0.06 && share < 0.94);
}

const STRIP_TIMES = 5;

function colourOf(kmPerH: number | undefined): number | null {
  if (kmPerH === undefined || Number.isNaN(kmPerH)) return null;
  return Math.min(COLOURS.length - 1, Math.floor((kmPerH / FASTEST_KM_PER_H) * COLOURS.length));
}
