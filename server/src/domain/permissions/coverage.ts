import { and, eq, gt, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { accounts, type PermissionKind, permissions } from "../../store/schema.js";
import { groupBy } from "../lists/group-by.js";

/** Validity of a permission: from `startTime` (included) to `expirationTime` (excluded). */
export interface Validity {
  startTime: Date;
  expirationTime: Date;
}

/**
 * Whether the permissions together cover an interval without a gap. An interval that ends when the last permission
 * expires is covered.
 * @param granted permissions in the order of their start times
 */
export function covers(granted: readonly Validity[], start: Date, end: Date): boolean {
  let reached = start.getTime();
  for (const { startTime, expirationTime } of granted) {
    if (startTime.getTime() > reached) return false;
    reached = Math.max(reached, expirationTime.getTime());
    if (reached >= end.getTime() && reached > start.getTime()) return true;
  }
  return false;
}

/** Permissions of one kind of a manager on athletes. */
export interface Grants {
  /** Whether the permissions cover every instant of the interval. */
  cover(athleteId: number, start: Date, end: Date): boolean;
  /** The times of the permissions, in the order of their starts. They may overlap. */
  times(athleteId: number): readonly Validity[];
  /** Whether one of the permissions is active. */
  activeAt(athleteId: number, now: Date): boolean;
}

/**
 * Reads a manager's permissions of one kind on some athletes.
 * @param lock prevents the athletes from being deleted and their permissions from changing until the transaction ends;
 *   for changes that depend on the result
 * @param during omits permissions that do not overlap this interval
 */
export async function grantsOf(
  queries: Queries,
  managerId: number,
  kind: PermissionKind,
  athleteIds: readonly number[],
  { lock = false, during }: { lock?: boolean; during?: { from: Date; to: Date } } = {},
): Promise<Grants> {
  const ids = [...new Set(athleteIds)];
  let byAthlete = new Map<number, Validity[]>();
  if (ids.length > 0) {
    if (lock) {
      await queries
        .select({ id: accounts.id })
        .from(accounts)
        .where(inArray(accounts.id, ids))
        .orderBy(accounts.id)
        .for("share");
    }
    const rows = await queries
      .select()
      .from(permissions)
      .where(
        and(
          eq(permissions.managerId, managerId),
          eq(permissions.permission, kind),
          inArray(permissions.athleteId, ids),
          during && and(lte(permissions.startTime, during.to), gt(permissions.expirationTime, during.from)),
        ),
      )
      .orderBy(permissions.startTime);
    byAthlete = groupBy(rows, ({ athleteId }) => athleteId);
  }
  const granted = (athleteId: number): readonly Validity[] => byAthlete.get(athleteId) ?? [];
  return {
    cover: (athleteId, start, end) => covers(granted(athleteId), start, end),
    times: granted,
    activeAt: (athleteId, now) => granted(athleteId).some((permission) => isActive(permission, now)),
  };
}

/** Whether a permission is active now. */
export const isActive = ({ startTime, expirationTime }: Validity, now: Date): boolean =>
  startTime <= now && now < expirationTime;

/** Condition: the manager has an active permission on the athlete in the row of `accounts`. */
export function hasActive(queries: Queries, managerId: number, kind: PermissionKind, now: Date): SQL {
  const active = queries
    .select({ one: sql`1` })
    .from(permissions)
    .where(
      and(
        eq(permissions.athleteId, accounts.id),
        eq(permissions.managerId, managerId),
        eq(permissions.permission, kind),
        lte(permissions.startTime, now),
        gt(permissions.expirationTime, now),
      ),
    );
  return sql`EXISTS ${active}`;
}
