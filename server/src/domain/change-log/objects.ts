import { type SQL, sql } from "drizzle-orm";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { queueExactly, queueRecordings, RECORDED_AT_A_TIME } from "./queue.js";
import { canRead, recordObjects, recordPairs } from "./record.js";

/** Objects that thousands of accounts can read. */
type Kind = "squad" | "athlete";

/** An account that must read an object again. */
interface Pair {
  accountId: number;
  objectId: number;
}

/**
 * Permissions that begin within this time count as begun, because the clocks of processes differ, and a transaction ends after its
 * time.
 */
const BEGINS_SOON = sql`interval '1 hour'`;

/** Whether the permission gives the right to read the athlete. See also `clockChanges`. */
const isReading = ({ now }: UnitOfWork): SQL => sql`permission = 'READ'
  AND start_time <= ${now}::timestamptz + ${BEGINS_SOON} AND expiration_time > ${now}::timestamptz`;

/** Selects the owners and guests of squads, as `account_id` and `object_id`. */
const ownersAndGuests = (squads: SQL): SQL => sql`
  SELECT owner_id AS account_id, id AS object_id FROM squads WHERE ${squads}
  UNION ALL SELECT guest_id, squad_id FROM squad_grants
    WHERE squad_id = ANY(ARRAY(SELECT id FROM squads WHERE ${squads})) AND accepted_at IS NOT NULL`;

/** Selects athletes and the managers of managed athletes. */
const athletesAndManagers = (ids: readonly number[]): SQL => sql`
  SELECT id AS account_id, id AS object_id FROM accounts WHERE id = ANY(${sql.param(ids)}::bigint[])
  UNION ALL SELECT managed_by, id FROM accounts WHERE id = ANY(${sql.param(ids)}::bigint[]) AND managed_by IS NOT NULL`;

/** Selects the next of the other readers, of which an object can have thousands, by an index. `place` is their order. */
const nextReaders = (unit: UnitOfWork, { kind, id, after = 0 }: ReadersLeft, limit: number): SQL =>
  kind === "squad"
    ? sql`SELECT athlete_id AS account_id, id AS place FROM squad_members
        WHERE squad_id = ${id} AND id > ${after} ORDER BY id LIMIT ${limit}`
    : sql`SELECT DISTINCT manager_id AS account_id, manager_id AS place FROM permissions
        WHERE athlete_id = ${id} AND manager_id > ${after} AND ${isReading(unit)} ORDER BY manager_id LIMIT ${limit}`;

/** Payload of a job: the readers of an object after a place. */
export interface ReadersLeft {
  kind: Kind;
  id: number;
  after?: number;
}

/** Payload of a job: these readers. */
export interface GivenReaders {
  kind: Kind;
  pairs: readonly Pair[];
}

async function readNext(unit: UnitOfWork, left: ReadersLeft, limit: number) {
  const { rows } = await unit.queries.execute<{ account_id: string; place: string }>(
    nextReaders(unit, left, limit),
  );
  return rows.map((row) => ({
    accountId: Number(row.account_id),
    objectId: left.id,
    place: Number(row.place),
  }));
}

/** Records the next readers of a job. @returns their number, and the remaining work */
export async function recordNextReaders(
  unit: UnitOfWork,
  left: ReadersLeft,
): Promise<{ recorded: number; left: ReadersLeft | undefined }> {
  const readers = await readNext(unit, left, RECORDED_AT_A_TIME);
  await recordPairs(unit, left.kind, readers);
  const last = readers.length === RECORDED_AT_A_TIME ? readers.at(-1) : undefined;
  return { recorded: readers.length, left: last && { ...left, after: last.place } };
}

/** Records the readers if there are few; a job records them if there are many. */
async function recordFew(unit: UnitOfWork, left: ReadersLeft, chargedTo: number): Promise<void> {
  const readers = await readNext(unit, left, RECORDED_AT_A_TIME + 1);
  if (readers.length <= RECORDED_AT_A_TIME) await recordPairs(unit, left.kind, readers);
  else await queueRecordings(unit, [{ payload: { ...left }, chargedTo }]);
}

/** Records that a squad has changed for everyone who can read it. */
export async function recordSquad(
  unit: UnitOfWork,
  { id, ownerId }: { id: number; ownerId: number },
): Promise<void> {
  await recordObjects(unit, "squad", ownersAndGuests(sql`id = ${id}`));
  await recordFew(unit, { kind: "squad", id }, ownerId);
}

/** Records that an athlete has changed, for the athlete and everyone who can read the account. */
export async function recordAthlete(unit: UnitOfWork, id: number): Promise<void> {
  await recordObjects(unit, "athlete", athletesAndManagers([id]));
  await recordFew(unit, { kind: "athlete", id }, id);
}

/** Records new athletes. Nobody has permissions on them yet. */
export async function recordNewAthletes(
  unit: UnitOfWork,
  athletes: readonly { id: number }[],
): Promise<void> {
  if (athletes.length === 0) return;
  await recordObjects(unit, "athlete", athletesAndManagers(athletes.map(({ id }) => id)));
}

/** Records the given readers; jobs record them after the first ones, because later queries may not find them. */
async function recordAll(unit: UnitOfWork, kind: Kind, pairs: readonly Pair[]): Promise<void> {
  await recordPairs(unit, kind, pairs.slice(0, RECORDED_AT_A_TIME));
  const others: GivenReaders[] = [];
  for (let at = RECORDED_AT_A_TIME; at < pairs.length; at += RECORDED_AT_A_TIME)
    others.push({ kind, pairs: pairs.slice(at, at + RECORDED_AT_A_TIME) });
  await queueExactly(unit, others);
}

async function recordSelected(unit: UnitOfWork, kind: Kind, readers: SQL): Promise<void> {
  const { rows } = await unit.queries.execute<{ account_id: string; object_id: string }>(sql`
    SELECT DISTINCT object_id, account_id FROM (${readers}) AS readers
    WHERE ${canRead(sql`account_id`)} ORDER BY object_id, account_id`);
  const pairs = rows.map((row) => ({ accountId: Number(row.account_id), objectId: Number(row.object_id) }));
  await recordAll(unit, kind, pairs);
}

/** Records squads that are being deleted. @param squads condition in a statement with `squads` */
export const recordDeletedSquads = (unit: UnitOfWork, squads: SQL): Promise<void> =>
  recordSelected(
    unit,
    "squad",
    sql`${ownersAndGuests(squads)}
      UNION ALL SELECT athlete_id, squad_id FROM squad_members WHERE squad_id = ANY(ARRAY(SELECT id FROM squads WHERE ${squads}))`,
  );

/** Records an athlete who is being deleted. */
export const recordDeletedAthlete = (unit: UnitOfWork, id: number): Promise<void> =>
  recordSelected(
    unit,
    "athlete",
    sql`${athletesAndManagers([id])}
      UNION ALL SELECT manager_id, athlete_id FROM permissions WHERE athlete_id = ${id} AND ${isReading(unit)}`,
  );

/** Records that permissions were given or withdrawn, which changes the athletes that the managers see. */
export const recordPermitted = (
  unit: UnitOfWork,
  permitted: readonly { athleteId: number; managerId: number }[],
): Promise<void> =>
  recordAll(
    unit,
    "athlete",
    permitted.map(({ athleteId, managerId }) => ({ accountId: managerId, objectId: athleteId })),
  );
