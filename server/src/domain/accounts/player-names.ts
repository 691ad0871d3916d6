import { distinctNames } from "asi-convert/squad";
import { type SQL, sql } from "drizzle-orm";
import { accounts } from "../../store/schema.js";

type Named = Pick<typeof accounts.$inferSelect, "id" | "firstName" | "lastName" | "username">;

/** Returns the name of an athlete in squad tables: the first and the last name, otherwise the username. */
export const playerName = ({ firstName, lastName, username }: Omit<Named, "id">): string =>
  [firstName, lastName].filter((part) => part !== null && part.trim() !== "").join(" ") || username;

/** SQL expression equal to `playerName`, for searches in `accounts`. */
export const searchedPlayerName: SQL = sql`coalesce(nullif(trim(concat_ws(' ', ${accounts.firstName}, ${accounts.lastName})), ''), ${accounts.username})`;

/** Matches a name that looks like one with an appended id, such as `Max Muster (12)`. */
const ENDS_WITH_ID = /\(\d+\)\s*$/;

/**
 * Returns unique names by athlete, because files contain names instead of ids. The id is appended to a name if several athletes
 * share it, or if it already ends with a number in parentheses. Therefore no athlete can get the name that a file uses for a
 * different athlete.
 */
export const playerNames = (players: readonly Named[]): Map<number, string> =>
  namesById(
    players.map((player) => {
      const name = playerName(player);
      return { id: player.id, name, isMarked: ENDS_WITH_ID.test(name) };
    }),
  );

/**
 * Returns the names of athletes who have left: the username and the id, because a different athlete may take the name
 * later.
 *
 * @param taken names of the players
 */
export const namesOfOthers = (others: readonly Named[], taken: readonly string[]): Map<number, string> =>
  namesById(
    others.map(({ id, username }) => ({ id, name: username, isMarked: true })),
    taken,
  );

function namesById(
  people: readonly { id: number; name: string; isMarked: boolean }[],
  taken?: readonly string[],
): Map<number, string> {
  const names = distinctNames(
    people.map((one) => ({ ...one, mark: String(one.id) })),
    taken,
  );
  return new Map(people.map(({ id }, i) => [id, names[i] ?? ""]));
}
