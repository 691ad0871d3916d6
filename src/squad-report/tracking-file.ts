import type { PitchFrame } from "../metrics/index.js";
import type { TeamFrame } from "../squad/index.js";

/** The halves that the Common Data Format can name, in chronological order. */
export const CDF_PERIODS = [
  "first_half",
  "second_half",
  "first_half_extratime",
  "second_half_extratime",
] as const;

export type CdfPeriod = (typeof CDF_PERIODS)[number];

/** A player in a tracking file. */
export interface CdfPlayer {
  /** The id in snake case, as the format requires. */
  id: string;
}

/** The match in a tracking file. */
export interface CdfMatch {
  /** The id in snake case. */
  id: string;
  team: string;
}

/** Maximum distance from the middle of the pitch that the format allows. */
const FARTHEST_M = { x: 65, y: 42.5 };

/**
 * Writes a line of a tracking file in the Common Data Format 0.2.3 (Anzer et al. 2025, arXiv 2505.15820), also valid in 0.3.2. Its
 * origin is the middle of the pitch, and x increases from corner A to B in every half. The format requires a ball and two
 * teams, so the positions of the ball are null and the other team has no players; docs/formats.md, "Common Data Format".
 *
 * @param frameId counts from 0 over the whole match
 */
export function cdfLine<P extends CdfPlayer>(
  { timeMs, players }: TeamFrame<P>,
  frameId: number,
  period: CdfPeriod,
  { id, team }: CdfMatch,
  { length, width }: Pick<PitchFrame, "length" | "width">,
): string {
  const placed = players
    .map(({ player, x, y, speedMmPerS, latitudeE7, longitudeE7 }) => ({
      id: player.id,
      x: centimetres(x - length / 2),
      y: centimetres(y - width / 2),
      ...(speedMmPerS !== null && { vel: speedMmPerS / 1000 }),
      lat: latitudeE7 / 1e7,
      long: longitudeE7 / 1e7,
    }))
    .filter(({ x, y }) => Math.abs(x) <= FARTHEST_M.x && Math.abs(y) <= FARTHEST_M.y);
  return `${JSON.stringify({
    frame_id: frameId,
    timestamp: new Date(timeMs).toISOString(),
    period,
    match: { id },
    teams: { home: { id: team, players: placed }, away: { id: "unknown", players: [] } },
    ball: { x: null, y: null, z: null },
  })}\n`;
}

/** Rounds to centimetres, and converts `-0` to 0. */
const centimetres = (metres: number): number => Math.round(metres * 100) / 100 + 0;

/** Converts a name to snake case: `1st half (A)` becomes `1st_half_a`. */
export const snakeCase = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
