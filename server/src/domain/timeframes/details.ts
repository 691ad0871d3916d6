import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { accounts, activities, devices, ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { toAthlete } from "../accounts/resource.js";
import { toActivity } from "../activities/resource.js";
import type { Context } from "../change/context.js";
import { toDevice } from "../devices/resource.js";
import { permittedNow } from "../permissions/coverage.js";
import type { Timeframe } from "./rules.js";

/** Related resources requested by the client. */
export interface WantedDetails {
  with_device?: boolean;
  with_activity?: boolean;
  with_athlete?: boolean;
}

/** Related resources of time frames. */
export interface Details {
  of(timeframe: Timeframe): {
    device_details?: ReturnType<typeof toDevice>;
    activity_details?: ReturnType<typeof toActivity>;
    athlete_details?: AthleteDetails | null;
  };
}

/** Reads the requested details of all time frames, with one query per kind of detail. */
export async function detailsOf(
  ctx: Context,
  rows: readonly Timeframe[],
  wanted: WantedDetails,
): Promise<Details> {
  const related = <T>(
    asked: boolean | undefined,
    id: (row: Timeframe) => number,
    read: (ctx: Context, ids: number[]) => Promise<Map<number, T>>,
  ) => (asked && rows.length > 0 ? read(ctx, [...new Set(rows.map(id))]) : undefined);
  const byDevice = await related(wanted.with_device, (row) => row.deviceId, readDevices);
  const byActivity = await related(wanted.with_activity, (row) => row.activityId, readActivities);
  const byAthlete = await related(wanted.with_athlete, (row) => row.athleteId, readAthletes);
  return {
    of(row) {
      const device = byDevice?.get(row.deviceId);
      const activity = byActivity?.get(row.activityId);
      return {
        ...(device === undefined ? {} : { device_details: device }),
        ...(activity === undefined ? {} : { activity_details: activity }),
        ...(byAthlete === undefined ? {} : { athlete_details: byAthlete.get(row.athleteId) ?? null }),
      };
    },
  };
}

async function readDevices({ queries, caller }: Context, ids: number[]) {
  const rows = await queries
    .select({ device: devices, mine: ownerships.id })
    .from(devices)
    .leftJoin(
      ownerships,
      and(
        eq(ownerships.deviceId, devices.id),
        eq(ownerships.managerId, caller?.id ?? 0),
        eq(ownerships.endTime, CURRENT_END),
      ),
    )
    .where(inArray(devices.id, ids));
  return new Map(rows.map(({ device, mine }) => [device.id, toDevice(device, mine !== null)]));
}

/** Omits the course, which can be several megabytes and would be repeated for each time frame of the activity. */
async function readActivities({ queries }: Context, ids: number[]) {
  const rows = await queries
    .select({ ...getTableColumns(activities), json: withoutCourse })
    .from(activities)
    .where(inArray(activities.id, ids));
  return new Map(rows.map((row) => [row.id, toActivity(row)]));
}

const withoutCourse = sql<Record<string, unknown>>`${activities.json} - 'gpx'`.as("json");

/** An athlete without the picture, which would be repeated for each time frame. */
type AthleteDetails = ReturnType<typeof withoutPicture>;

function withoutPicture(account: typeof accounts.$inferSelect) {
  const { athlete_profile, ...athlete } = toAthlete(account);
  const { profile_picture: _, ...profile } = athlete_profile;
  return { ...athlete, athlete_profile: profile };
}

/** Includes only athletes whom the caller may read now. */
async function readAthletes({ queries, caller, clock }: Context, ids: number[]) {
  const readable = await permittedNow(queries, caller?.id ?? 0, "READ", ids, clock.now());
  if (readable.size === 0) return new Map<number, AthleteDetails>();
  const rows = await queries
    .select({ ...getTableColumns(accounts), profilePicture: sql<null>`NULL` })
    .from(accounts)
    .where(inArray(accounts.id, [...readable]));
  return new Map(rows.map((row) => [row.id, withoutPicture(row)]));
}
