import { eq } from "drizzle-orm";
import { sessions } from "../../store/schema.js";
import { digestOf } from "../change/audited-row.js";
import type { PeriodRow } from "../change/events.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { selectSessions, toSession } from "./rules.js";

/** Writes a session to the audit log if the deleted activity has one. */
export async function auditEndOfSession(
  unit: UnitOfWork,
  { activity }: { activity: { id: number } },
): Promise<void> {
  const [row] = await selectSessions(unit.queries).where(eq(sessions.activityId, activity.id));
  if (row !== undefined) await unit.audit("session", activity.id, toSession(row), null);
}

/** Returns periods for the audit log: their digest, because an erasure does not find athletes in a list. */
export const periodsAudit = (rows: readonly PeriodRow[]) => ({
  rows: rows.length,
  content: digestOf(JSON.stringify(rows)),
});
