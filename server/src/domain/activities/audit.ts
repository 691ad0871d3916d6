import { digestOf } from "../change/audited-row.js";
import type { Activity, ActivityHead } from "./rules.js";

/** Returns the activity for the audit log, with the digest of a course instead of the course. */
export function activityAudit(activity: Activity | ActivityHead): Record<string, unknown> {
  if (!("json" in activity)) return activity;
  const { gpx, ...json } = activity.json;
  if (typeof gpx !== "string") return activity;
  return { ...activity, json: { ...json, gpx: digestOf(gpx) } };
}
