import { isDeepStrictEqual } from "node:util";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { MAX_PAUSE_MS } from "asi-convert/squad";
import { and, asc, eq } from "drizzle-orm";
import { type Interval, listRangesOf, type SampleRange, sqlClientOf } from "../../store/samples/index.js";
import { devices, ownerships } from "../../store/schema.js";
import { CursorQuery } from "../../wire/cursor.js";
import { CURSOR_LIMITS } from "../../wire/page-limits.js";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import { cursorPage } from "../lists/cursor-page.js";
import { isValidBetween } from "../lists/times.js";
import { ownedTimesOf } from "../sample-ownership/owners.js";
import { wearersOf } from "./suggested-wearers.js";
import { sessionTimes, takenSearch } from "./taken-times.js";
import type { Wearing } from "./worn-times.js";

const DAY_MS = 86_400_000;
/** Default and maximum number of days of a request. */
const DAYS = { default: 28, max: 92 };
/** Maximum number of devices of a request, because the times of each are read. */
const MAX_DEVICES = 500;
/**
 * Maximum number of device days for each statement: 25 devices in 28 days. A day has at most 288 headers of 16 bytes.
 */
const DEVICE_DAYS_AT_A_TIME = 700;
/** Maximum number of times of devices in all suggested sessions, because they are sorted without a break. */
const MAX_RANGES = 100_000;
/** Maximum number of times of devices in a response, so in one suggested session: ten for each of 500 devices. */
const MAX_SHOWN_RANGES = 5_000;

export const SuggestedQuery = Type.Object({
  ...CursorQuery,
  start_time: Query.dateTime(`Only samples from this time; default: ${DAYS.default} days before end_time`),
  end_time: Query.dateTime(
    `Only samples before this time, at most ${DAYS.max} days after start_time; default: now`,
  ),
});

export const SuggestedSession = Type.Object(
  {
    start_time: DateTimeOut({ description: "First sample" }),
    end_time: DateTimeOut({ description: "1 ms after the last sample" }),
    squad: Nullable(
      Type.Integer({ description: "The squad of most of the athletes; null if there is none" }),
    ),
    devices: Type.Array(
      Type.Object({
        device: Type.Integer(),
        serial_number: Type.String(),
        start_time: DateTimeOut({ description: "First sample" }),
        end_time: DateTimeOut({ description: "1 ms after the last sample" }),
        athlete: Nullable(
          Type.Integer({ description: "The current or last wearer of the device; null if unknown" }),
        ),
        is_assigned: Type.Boolean({
          description: "false: the device has no assignment at this time, and athlete is a suggestion",
        }),
        squad: Nullable(Type.Integer({ description: "The squad of the athlete at this time" })),
      }),
    ),
  },
  {
    $id: "SuggestedSession",
    examples: [
      {
        start_time: "2024-01-01T13:21:07.000Z",
        end_time: "2024-01-01T15:24:50.100Z",
        squad: 2,
        devices: [
          {
            device: 7,
            serial_number: "TRK-001",
            start_time: "2024-01-01T13:21:07.000Z",
            end_time: "2024-01-01T15:24:50.100Z",
            athlete: 14,
            is_assigned: true,
            squad: 2,
          },
        ],
      },
    ],
  },
);

/** A time with samples of a device, both ends inclusive, and its wearer. */
export interface WornRange extends Interval, Wearing {
  device: number;
  serial: string;
}

/**
 * Suggests sessions for times with samples of the caller's devices that are not in a session yet, latest first. Groups the times
 * as the squad view groups recordings, but only by time. Reads the times of chunks, and the times of samples only at the bounds
 * of the request and of ownerships.
 * @throws ServiceError `invalid`, `too_many_devices`, `too_many_ranges`
 */
export async function suggestSessions(
  ctx: Context,
  { start_time, end_time, ...paging }: StaticDecode<typeof SuggestedQuery>,
) {
  const end = end_time ?? ctx.clock.now();
  const start = start_time ?? new Date(end.getTime() - DAYS.default * DAY_MS);
  if (end <= start) throw errors.field("end_time", "Must be after start_time.");
  if (end.getTime() - start.getTime() > DAYS.max * DAY_MS)
    throw errors.field("end_time", `Must be at most ${DAYS.max} days after start_time.`);
  const owned = await devicesOf(ctx, start, end);
  const ids = owned.map(({ id }) => id);
  const [wornBy, taken] = await Promise.all([wearersOf(ctx, ids, start, end), sessionTimes(ctx, start, end)]);
  const isTaken = takenSearch(taken);
  const ranges: WornRange[] = [];
  const within = { startMs: start.getTime(), stopMs: end.getTime() - 1 };
  for (const group of partsOf(owned, devicesAtATime(within))) {
    ctx.signal?.throwIfAborted();
    const found = await rangesOf(
      ctx,
      group.map(({ id }) => id),
      within,
    );
    for (const { id, serial } of group) {
      for (const range of found.get(id) ?? []) {
        const worn = { ...range, device: id, serial, ...wornBy(id, range) };
        if (!isTaken(worn)) ranges.push(worn);
      }
    }
    if (ranges.length > MAX_RANGES) throw tooManyRanges(MAX_RANGES);
  }
  const joined = joinRanges(ranges);
  const { cursor = 0 } = paging;
  const latest = joined
    .map((parts) => ({ id: parts[0]?.startMs ?? 0, parts }))
    .filter(({ id }) => cursor === 0 || id < cursor)
    .reverse();
  const shown = Math.min(paging.limit ?? CURSOR_LIMITS.default, countWithin(latest, MAX_SHOWN_RANGES));
  if (latest.length > 0 && shown === 0) throw tooManyRanges(MAX_SHOWN_RANGES);
  return cursorPage({ ...paging, limit: shown }, toSuggested, async (_, limit) => latest.slice(0, limit));
}

/** Returns how many of the sessions have together at most `maxRanges` times of devices. */
function countWithin(sessions: readonly { parts: readonly unknown[] }[], maxRanges: number): number {
  let ranges = 0;
  for (const [index, { parts }] of sessions.entries()) {
    ranges += parts.length;
    if (ranges > maxRanges) return index;
  }
  return sessions.length;
}

const tooManyRanges = (limit: number) =>
  errors.conflict(
    "too_many_ranges",
    `There are more than ${limit} times with samples and without a session. Request a shorter time.`,
  );

/**
 * Groups times that overlap or are separated by at most the pause of a session; groups and their parts are in chronological order.
 */
export function joinRanges<T extends Interval>(ranges: readonly T[]): T[][] {
  const joined: T[][] = [];
  let reachedMs = Number.NEGATIVE_INFINITY;
  for (const range of [...ranges].sort((a, b) => a.startMs - b.startMs)) {
    const last = joined.at(-1);
    if (last !== undefined && range.startMs - reachedMs <= MAX_PAUSE_MS) last.push(range);
    else joined.push([range]);
    reachedMs = Math.max(reachedMs, range.stopMs);
  }
  return joined;
}

/** Returns the devices that the caller owned in the interval. */
async function devicesOf({ queries, caller }: Context, start: Date, end: Date) {
  const found = await queries
    .selectDistinct({ id: devices.id, serial: devices.serialNumber })
    .from(ownerships)
    .innerJoin(devices, eq(devices.id, ownerships.deviceId))
    .where(and(eq(ownerships.managerId, caller?.id ?? 0), isValidBetween(ownerships, start, end)))
    .orderBy(asc(devices.id))
    .limit(MAX_DEVICES + 1);
  if (found.length > MAX_DEVICES)
    throw errors.conflict(
      "too_many_devices",
      `Sessions are suggested for at most ${MAX_DEVICES} devices. Create the sessions without suggestions.`,
    );
  return found;
}

/** Returns the number of devices for each statement. */
const devicesAtATime = ({ startMs, stopMs }: Interval): number =>
  Math.max(1, Math.floor(DEVICE_DAYS_AT_A_TIME / Math.ceil((stopMs + 1 - startMs) / DAY_MS)));

function* partsOf<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** Returns the times with samples of devices, while the caller owned them. Ignores pauses shorter than those between sessions. */
async function rangesOf(
  ctx: Context,
  deviceIds: readonly number[],
  within: Interval,
): Promise<Map<number, Interval[]>> {
  const { queries } = ctx;
  const owner = { ownerId: ctx.caller?.id ?? 0, deviceIds };
  const owned = await ownedTimesOf(queries, owner, within);
  const found = await listRangesOf(
    sqlClientOf(queries),
    [...owned].map(([deviceId, intervals]) => ({ deviceId, intervals })),
  );
  const ownedNow = await ownedTimesOf(queries, owner, within);
  // The owner of these devices has changed, so the samples may belong to another owner.
  const changed = deviceIds.filter((id) => !isDeepStrictEqual(ownedNow.get(id), owned.get(id)));
  const again = changed.length === 0 ? new Map<number, Interval[]>() : await rangesOf(ctx, changed, within);
  const isChanged = new Set(changed);
  return new Map(
    deviceIds.map((id) => [
      id,
      isChanged.has(id) ? (again.get(id) ?? []) : withoutPauses(found.get(id) ?? []),
    ]),
  );
}

const withoutPauses = (ranges: readonly SampleRange[]): Interval[] =>
  joinRanges(ranges.map(({ start, stop }) => ({ startMs: start, stopMs: stop }))).map((parts) => ({
    startMs: parts[0]?.startMs ?? 0,
    stopMs: parts.at(-1)?.stopMs ?? 0,
  }));

const endOf = (stopMs: number) => new Date(stopMs + 1).toISOString();

function toSuggested({ parts }: { id: number; parts: readonly WornRange[] }) {
  const uses = new Map<number, number>();
  for (const { squad } of parts) if (squad !== null) uses.set(squad, (uses.get(squad) ?? 0) + 1);
  const [mostUsed] = [...uses].sort(([, a], [, b]) => b - a);
  return {
    start_time: new Date(parts[0]?.startMs ?? 0).toISOString(),
    end_time: endOf(parts.reduce((latest, { stopMs }) => Math.max(latest, stopMs), 0)),
    squad: mostUsed?.[0] ?? null,
    devices: parts.map(({ device, serial, startMs, stopMs, athlete, isAssigned, squad }) => ({
      device,
      serial_number: serial,
      start_time: new Date(startMs).toISOString(),
      end_time: endOf(stopMs),
      athlete,
      is_assigned: isAssigned,
      squad,
    })),
  };
}
