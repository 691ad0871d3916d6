import { and, asc, desc, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, squadMembers } from "../../store/schema.js";
import { namesOfOthers, playerNames } from "../accounts/player-names.js";
import { errors } from "../change/errors.js";
import { isValidBetween } from "../lists/times.js";
import type { PeriodRow } from "./period-rows.js";
import type { Session } from "./rules.js";

/** An athlete who belongs to the squad during a session. */
export interface SessionPlayer {
  athleteId: number;
  /** Unique among the players. */
  name: string;
  number: string | null;
  position: string | null;
  /** Thresholds, by the names of the params of time frames. */
  params: Record<string, unknown>;
  birthDate: string | null;
}

/** Omits the picture, which can be a megabyte. */
const NAMED = {
  id: accounts.id,
  firstName: accounts.firstName,
  lastName: accounts.lastName,
  username: accounts.username,
  birthDate: accounts.birthDate,
};

/** Maximum number of players of one session, because one transaction derives its time frames. */
export const MAX_PLAYERS = 200;

/**
 * Returns the players of a session, in the order in which they joined the squad. If a player has several rows, the first row that
 * is valid in the session counts, so a session uses one set of thresholds.
 * @param athletes only these, in any number; default: all players of a session
 * @param row which row counts
 * @throws ServiceError `session_too_large`
 */
export async function playersOf(
  queries: Queries,
  { squadId, startTime, endTime }: Pick<Session, "squadId" | "startTime" | "endTime">,
  athletes?: readonly number[],
  row: "first" | "last" = "first",
): Promise<SessionPlayer[]> {
  if (athletes?.length === 0) return [];
  const ordered = row === "first" ? asc : desc;
  const rows = await queries
    .selectDistinctOn([squadMembers.athleteId], { member: squadMembers, account: NAMED })
    .from(squadMembers)
    .innerJoin(accounts, eq(accounts.id, squadMembers.athleteId))
    .where(
      and(
        eq(squadMembers.squadId, squadId),
        isValidBetween(squadMembers, startTime, endTime),
        athletes === undefined ? undefined : inArray(squadMembers.athleteId, [...athletes]),
      ),
    )
    .orderBy(asc(squadMembers.athleteId), ordered(squadMembers.startTime), ordered(squadMembers.id))
    .limit(athletes?.length ?? MAX_PLAYERS + 1);
  if (athletes === undefined) requireAtMost(MAX_PLAYERS, rows.length, "players");
  const found = rows.sort((a, b) => a.member.id - b.member.id);
  const names = playerNames(found.map(({ account }) => account));
  return found.map(({ member, account }) => ({
    athleteId: account.id,
    name: names.get(account.id) ?? account.username,
    number: member.number === null ? null : String(member.number),
    position: member.position,
    params: member.params,
    birthDate: account.birthDate,
  }));
}

/** @throws ServiceError `session_too_large` */
export function requireAtMost(limit: number, count: number, what: string): void {
  if (count <= limit) return;
  throw errors.conflict(
    "session_too_large",
    `A session has at most ${limit} ${what}. Use a smaller squad, or a shorter session.`,
  );
}

/** Returns the unique names that periods can use: the names of the players, and of other athletes in the rows. */
export async function namesInPeriods(
  queries: Queries,
  players: readonly SessionPlayer[],
  rows: readonly PeriodRow[],
): Promise<Map<number, string>> {
  const names = new Map(players.map(({ athleteId, name }) => [athleteId, name]));
  const others = rows.flatMap(({ athleteId }) =>
    athleteId === null || names.has(athleteId) ? [] : [athleteId],
  );
  if (others.length === 0) return names;
  const left = await queries
    .select(NAMED)
    .from(accounts)
    .where(inArray(accounts.id, [...new Set(others)]));
  return new Map([...names, ...namesOfOthers(left, [...names.values()])]);
}
