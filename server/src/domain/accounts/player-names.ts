import { nameKey } from "asi-convert/squad";
import { type SQL, sql } from "drizzle-orm";
import { accounts } from "../../store/schema.js";

type Named = Pick<typeof accounts.$inferSelect, "id" | "firstName" | "lastName" | "username">;

/** The name of an athlete in tables of a squad: the first and the last name, otherwise the username. */
export const playerName = ({ firstName, lastName, username }: Omit<Named, "id">): string =>
  [firstName, lastName].filter((part) => part !== null && part.trim() !== "").join(" ") || username;

/** `playerName` of the row of `accounts`, for a search. */
export const searchedPlayerName: SQL = sql`coalesce(nullif(trim(concat_ws(' ', ${accounts.firstName}, ${accounts.lastName})), ''), ${accounts.username})`;

/** Unique names by athlete, because files contain names instead of ids: equal names are followed by the id. */
export function playerNames(players: readonly Named[]): Map<number, string> {
  const uses = new Map<string, number>();
  for (const player of players) {
    const key = nameKey(playerName(player));
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  return new Map(
    players.map((player) => {
      const name = playerName(player);
      return [player.id, (uses.get(nameKey(name)) ?? 0) > 1 ? `${name} (${player.id})` : name];
    }),
  );
}
