import { inArray, type SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";

/** Permissions of earlier releases are not limited, and the audit writes the values of a batch as one text. */
const BATCH = 1000;

/** Deletes the permissions that match. */
export async function removePermissions(
  { queries, announce }: Pick<UnitOfWork, "queries" | "announce">,
  matching: SQL | undefined,
): Promise<void> {
  for (let found = BATCH; found === BATCH; ) {
    const batch = await queries.select({ id: permissions.id }).from(permissions).where(matching).limit(BATCH);
    const ids = batch.map(({ id }) => id);
    const revoked = await queries.delete(permissions).where(inArray(permissions.id, ids)).returning();
    await announce("permissionsRevoked", { revoked });
    found = batch.length;
  }
}
