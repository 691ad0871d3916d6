import { inArray, type SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Number of permissions that one transaction of a larger deletion deletes: the reactions find the sessions of each pair. */
const BATCH = 100;

type Unit = Pick<UnitOfWork, "queries" | "announce">;

/**
 * Deletes some of the matching permissions.
 * @returns whether more may match
 */
export async function deleteSomePermissions(unit: Unit, matching: SQL | undefined): Promise<boolean> {
  const batch = await unit.queries
    .select({ id: permissions.id })
    .from(permissions)
    .where(matching)
    .limit(BATCH);
  const ids = batch.map(({ id }) => id);
  await deletePermissions(unit, inArray(permissions.id, ids));
  return batch.length === BATCH;
}

/** Deletes all matching permissions. The cost of the reactions depends on the pairs, so they run once for all of them. */
export async function deletePermissions(
  { queries, announce }: Unit,
  matching: SQL | undefined,
): Promise<void> {
  const revoked = await queries.delete(permissions).where(matching).returning();
  await announce("permissionsRevoked", { revoked });
}
