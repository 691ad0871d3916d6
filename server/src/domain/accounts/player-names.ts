import { nameKey } from "asi-convert/squad";
import type { accounts } from "../../store/schema.js";

type Named = Pick<typeof accounts.$inferSelect, "id" | "firstName" | "lastName" | "username">;

/** The name of an athlete in tables of a squad: the first and the last name, otherwise the username. */
export const playerName = ({ firstName, lastName, username }: Omit<Named, "id">): string =>
  [firstName, lastName].filter((part) => part !== null && part.trim() !== "").join(" ") || username;

/** Names by athlete that differ from each other, because files name players instead of ids: equal ones have the id behind them. */
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
