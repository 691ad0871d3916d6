import type { SQL } from "drizzle-orm";
import { permissions } from "../../store/schema.js";
import type { UnitOfWork } from "../unit-of-work.js";

/** Deletes the permissions that match. */
export async function removePermissions(
  { queries, auditAll }: UnitOfWork,
  matching: SQL | undefined,
): Promise<void> {
  const rows = await queries.delete(permissions).where(matching).returning();
  await auditAll(
    "permission",
    rows.map((before) => ({ id: before.id, before })),
  );
}
