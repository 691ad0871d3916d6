import { nameKey } from "asi-convert/squad";
import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts } from "../../store/schema.js";
import { insertManagedAthletes } from "../accounts/managed-athlete.js";
import { playerName } from "../accounts/player-names.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { hasActive } from "../permissions/coverage.js";
import { isOwnAthlete } from "../permissions/own-athletes.js";
import type { Problems } from "./problems.js";
import type { RosterPlayer } from "./read.js";

/** The athlete of each player; null for an athlete to be created. */
export type AthleteOf = Map<RosterPlayer, number | null>;

/** Number of athletes that one statement reads. A manager can have ten thousand, and other requests run in between. */
const AT_A_TIME = 1_000;

/** Athletes whom a text may mean: their names in tables, by id. */
type Named = ReadonlyMap<number, string>;

/** The athletes whom a roster may mean, by `nameKey`. */
export interface ReadableAthletes {
  named: ReadonlyMap<string, Named>;
  /** Athletes who are not found, because they are new to the caller. */
  newcomers: ReadonlyMap<string, Named>;
  /** Changes when the caller creates an athlete. */
  state: string;
}

/** Returns a text that changes when a manager creates an athlete. */
export async function stateOfAthletes(queries: Queries, managerId: number): Promise<string> {
  const [row] = await queries
    .select({ state: sql<string>`coalesce(sum(${accounts.id}), 0)::text` })
    .from(accounts)
    .where(eq(accounts.managedBy, managerId));
  return row?.state ?? "";
}

/**
 * Reads the athletes with the names of players whom the caller can read now: by the name in tables, the username or an external id.
 * A manager can have ten thousand athletes, so call it outside of a transaction.
 */
export async function readAthletes(
  queries: Queries,
  callerId: number,
  now: Date,
  players: readonly RosterPlayer[],
): Promise<ReadableAthletes> {
  const state = await stateOfAthletes(queries, callerId);
  const wanted = new Set(players.map(({ name }) => nameKey(name)));
  const named = new Map<string, Map<number, string>>();
  const newcomers = new Map<string, Map<number, string>>();
  for (let after = 0; ; ) {
    const readable = await queries
      .select({
        id: accounts.id,
        username: accounts.username,
        externalId: accounts.externalId,
        profileExternalId: accounts.profileExternalId,
        firstName: accounts.firstName,
        lastName: accounts.lastName,
        isKnown: isOwnAthlete(callerId, sql`accounts`),
      })
      .from(accounts)
      .where(
        and(eq(accounts.role, "ATHLETE"), hasActive(queries, callerId, "READ", now), gt(accounts.id, after)),
      )
      .orderBy(asc(accounts.id))
      .limit(AT_A_TIME);
    for (const { id, username, externalId, profileExternalId, isKnown, ...names } of readable) {
      const name = playerName({ username, ...names });
      // Tables add the id to names shared by several players.
      const clear = nameKey(withId(name, id));
      const texts = [name, username, externalId, profileExternalId].map((text) => nameKey(text ?? ""));
      for (const key of new Set([clear, ...texts])) {
        if (!wanted.has(key)) continue;
        const isFound = isKnown || key === clear;
        const byKey = isFound ? named : newcomers;
        byKey.set(key, (byKey.get(key) ?? new Map()).set(id, name));
      }
    }
    if (readable.length < AT_A_TIME) break;
    after = readable.at(-1)?.id ?? 0;
  }
  return { named, newcomers, state };
}

/**
 * Finds players among the athletes of the caller. Does not reveal whether other athletes exist. Anybody can register with the name
 * of a player and give permission, so an athlete who has never been in a squad of the caller is found only by the name with the id.
 */
export function findAthletes(
  { named, newcomers }: ReadableAthletes,
  players: readonly RosterPlayer[],
  /** Whether unknown players are created, and whether the caller may do so. */
  { create, mayCreate }: { create: boolean; mayCreate: boolean },
  problems: Problems,
): AthleteOf {
  const found: AthleteOf = new Map();
  const playerOf = new Map<number, RosterPlayer>();
  for (const player of players) {
    const key = nameKey(player.name);
    const names: Named = named.get(key) ?? new Map();
    const [id = null] = names.keys();
    const first = id === null ? undefined : playerOf.get(id);
    const problem =
      newcomerProblem(player.name, names, newcomers.get(key)) ??
      problemOf(player.name, names, create, mayCreate);
    if (problem !== undefined) problems.add(player.line, problem);
    else if (first !== undefined)
      problems.add(
        player.line,
        `${player.name} is the same athlete as ${first.name} in line ${first.line}. Use one name.`,
      );
    else found.set(player, id);
    if (id !== null) playerOf.set(id, player);
  }
  return found;
}

const withId = (name: string, id: number): string => `${name} (${id})`;

function newcomerProblem(name: string, found: Named, newcomers: Named = new Map()): string | undefined {
  const [newcomer] = newcomers;
  if (found.size > 0 || newcomer === undefined) return undefined;
  const [id, own] = newcomer;
  return `The athlete ${id} with the name ${name} gives you permission, but has never been in one of your squads. Write "${withId(own, id)}" if this is the player. If not, create the player first, or delete the permission.`;
}

function problemOf(name: string, names: Named, create: boolean, mayCreate: boolean): string | undefined {
  if (names.size > 1) {
    const texts = [...names].map(([id, own]) => withId(own, id));
    // The name of one athlete may equal the name of another athlete followed by the other athlete's id.
    const clear = texts.find((text) => nameKey(text) !== nameKey(name));
    return `The athletes ${[...names.keys()].join(", ")} have the name ${name}. Write "${clear}", the username or the external id.`;
  }
  if (names.size === 1 || (create && mayCreate)) return undefined;
  const unknown = `You have no access to an athlete with the name ${name}.`;
  if (create)
    return `${unknown} You may not create managed athletes either; ask the operator of the service.`;
  const creating = mayCreate ? ", or send create=true to create a managed athlete" : "";
  return `${unknown} Correct the name, or ask the athlete for READ permission${creating}.`;
}

/** Reserves the ids of new athletes, so that all changes are known before anything is written. */
export async function reserveIds(
  queries: Queries,
  players: readonly RosterPlayer[],
): Promise<Map<RosterPlayer, number>> {
  if (players.length === 0) return new Map();
  const { rows } = await queries.execute<{ id: string }>(
    sql`SELECT nextval(pg_get_serial_sequence('accounts', 'id')) AS id FROM generate_series(1, ${players.length}::int)`,
  );
  return new Map(players.map((player, place) => [player, Number(rows[place]?.id)]));
}

/** Creates managed athletes with reserved ids. The last word of a name is the last name. */
export async function createAthletes(
  unit: UnitOfWork,
  managerId: number,
  players: ReadonlyMap<RosterPlayer, number>,
): Promise<void> {
  if (players.size === 0) return;
  const rows = [...players].map(([{ name, birthDate, massKg }, id]) => {
    const words = name.split(/\s+/);
    return {
      id,
      firstName: words.length > 1 ? words.slice(0, -1).join(" ") : name,
      lastName: words.length > 1 ? (words.at(-1) ?? null) : null,
      birthDate,
      weightKg: massKg,
    };
  });
  await insertManagedAthletes(unit, managerId, rows);
}
