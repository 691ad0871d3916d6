import { eq } from "drizzle-orm";
import { sessions } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import { selectSessions, toSession } from "./rules.js";

/** Writes the session of a deleted activity, if it is one, to the audit log. */
export async function auditEndOfSession(
  unit: UnitOfWork,
  { activity }: { activity: { id: number } },
): Promise<void> {
  const [row] = await selectSessions(unit.queries).where(eq(sessions.activityId, activity.id));
  if (row !== undefined) await unit.audit("session", activity.id, toSession(row), null);
}
