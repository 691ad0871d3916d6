import { inArray, type SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/**
 * Number of permissions that one statement deletes, and one transaction of a larger deletion. The audit log writes their values as
 * one text, and the reactions look for the sessions and the time frames of each permission.
 */
const BATCH = 100;

type Unit = Pick<UnitOfWork, "queries" | "announce">;

/**
 * Deletes some of the matching permissions.
 * @returns whether more may match
 */
export async function deleteSomePermissions(
  { queries, announce }: Unit,
  matching: SQL | undefined,
): Promise<boolean> {
  const batch = await queries.select({ id: permissions.id }).from(permissions).where(matching).limit(BATCH);
  const ids = batch.map(({ id }) => id);
  const revoked = await queries.delete(permissions).where(inArray(permissions.id, ids)).returning();
  await announce("permissionsRevoked", { revoked });
  return batch.length === BATCH;
}

/** Deletes all matching permissions. */
export async function deletePermissions(unit: Unit, matching: SQL | undefined): Promise<void> {
  while (await deleteSomePermissions(unit, matching));
}
