import { inArray, type SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Number of permissions that one statement deletes, because the audit log writes the values of a batch as one text. */
const BATCH = 1000;

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
