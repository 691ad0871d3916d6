import type { SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../unit-of-work.js";

/** Deletes the permissions that match. */
export async function removePermissions(
  { queries, announce }: UnitOfWork,
  matching: SQL | undefined,
): Promise<void> {
  const revoked = await queries.delete(permissions).where(matching).returning();
  await announce("permissionsRevoked", { revoked });
}
