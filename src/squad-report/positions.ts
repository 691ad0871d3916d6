import type { SquadRow } from "../squad/index.js";

/** Positions from the goal to the attack. Other positions follow in alphabetical order. */
const POSITIONS = ["GK", "DF", "MF", "FW"];

/** The rows of one position. */
export interface PositionGroup {
  /** The position in the roster, in upper case; "Others" for players without a position. */
  name: string;
  rows: readonly SquadRow[];
}

/** Returns the position of a player in upper case; empty if the roster has none. */
export const positionOf = ({ member }: SquadRow): string => member.player?.position?.toUpperCase() ?? "";

/** Groups rows by the positions in the roster. The order within a group is preserved. */
export function byPosition(rows: readonly SquadRow[]): PositionGroup[] {
  const names = [...new Set(rows.map(positionOf))];
  const place = (name: string) => (POSITIONS.includes(name) ? POSITIONS.indexOf(name) : POSITIONS.length);
  names.sort((a, b) => place(a) - place(b) || a.localeCompare(b));
  return names.map((name) => ({
    name: name || "Others",
    rows: rows.filter((row) => positionOf(row) === name),
  }));
}
