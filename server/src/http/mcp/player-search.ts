import { nameKey } from "asi-convert/squad";
import { groupBy } from "../../domain/lists/group-by.js";
import { ToolError } from "./own-api.js";

/** The player of a row of a session or a season. */
export interface Player {
  player: string;
  athlete: number;
  number: string | null;
}

export const nameOf = ({ player, athlete }: Pick<Player, "player" | "athlete">) => `${player} (${athlete})`;

/**
 * Returns a function that finds the players with a name, `Name (id)`, an athlete id, or `#` and a number on the shirt. A number
 * alone that is the id of one player and the number of another is refused. The keys of the names are made once, because a table has
 * thousands of rows, and a question names many players.
 * @param rows several for a player count as one
 * @throws ToolError `ambiguous_player`
 */
export function playerSearch<P extends Player>(rows: Iterable<P>): (given: string) => P[] {
  const byId = new Map<string, P>();
  for (const row of rows) {
    const id = String(row.athlete);
    if (!byId.has(id)) byId.set(id, row);
  }
  const players = [...byId.values()];
  const byName = groupBy(players, ({ player }) => nameKey(player));
  const byClearName = groupBy(players, (one) => nameKey(nameOf(one)));
  const byNumber = groupBy(players, ({ number }) => number);
  return (given) => {
    const key = nameKey(given);
    const named = new Set([
      ...(byName.get(key) ?? []),
      ...(byClearName.get(key) ?? []),
      ...(given.startsWith("#") ? (byNumber.get(given.slice(1)) ?? []) : []),
    ]);
    if (named.size > 0) return [...named];
    const one = byId.get(given);
    const numbered = byNumber.get(given) ?? [];
    const other = numbered.find(({ athlete }) => String(athlete) !== given);
    if (one !== undefined && other !== undefined) {
      throw new ToolError(
        "ambiguous_player",
        `${JSON.stringify(given)} is the athlete id of ${nameOf(one)}, and the number of ${nameOf(other)}. Use the name, or "#${given}" for the number.`,
      );
    }
    return one === undefined ? numbered : [one];
  };
}
