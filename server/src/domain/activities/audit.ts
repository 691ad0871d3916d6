import { createHash } from "node:crypto";
import type { Activity, ActivityHead } from "./rules.js";

/** The activity as the audit log stores it: with the SHA-256 of a course instead of its megabytes. */
export function activityAudit(activity: Activity | ActivityHead): Record<string, unknown> {
  if (!("json" in activity)) return activity;
  const { gpx, ...json } = activity.json;
  if (typeof gpx !== "string") return activity;
  return {
    ...activity,
    json: { ...json, gpx: `sha256:${createHash("sha256").update(gpx).digest("hex")}` },
  };
}
