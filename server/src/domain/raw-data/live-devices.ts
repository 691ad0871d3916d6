import { and, asc, eq, sql } from "drizzle-orm";
import { preparedOnce } from "../../store/connection/database.js";
import { type Interval, normaliseIntervals } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { authorize } from "../change/access.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { Ownership } from "../ownerships/rules.js";
import { intersect } from "../sample-ownership/intervals.js";

/** Times of a device during which its samples belong to one athlete or to no particular person. */
export interface LivePart {
  athleteId: number | null;
  /** Closed, ascending, disjoint. */
  times: readonly Interval[];
}

/** A device that a connection follows, and those of its samples that the caller may see now. */
export interface LiveDevice {
  deviceId: number;
  /** Id and version of the current ownership. */
  ownership: string;
  parts: readonly LivePart[];
}

/**
 * Determines the devices of a connection, each once.
 * @throws ServiceError `forbidden`, `not_found`; `conflict` if there are more than `MAX_LIVE_DEVICES`
 */
export type LiveDevices = () => Promise<LiveDevice[]>;

/** Maximum number of devices of a connection. Each takes up to 120 kB of memory: see `COMPARED_SAMPLES`. */
export const MAX_LIVE_DEVICES = 100;

export const TOO_MANY_DEVICES = "too_many_devices";

/** @throws ServiceError `conflict` */
export function requireFewDevices(count: number): void {
  if (count <= MAX_LIVE_DEVICES) return;
  throw errors.conflict(
    TOO_MANY_DEVICES,
    `A connection has at most ${MAX_LIVE_DEVICES} devices. Receive the live data of a squad, of a session or of individual devices.`,
  );
}

/** Maximum number of intervals of a connection. Each poll compares all of them with the samples: about 1.5 ms for 1,000. */
export const MAX_LIVE_TIMES = 5000;

/** @throws ServiceError `conflict` */
export function requireFewTimes(count: number): void {
  if (count <= MAX_LIVE_TIMES) return;
  throw errors.conflict(
    TOO_MANY_DEVICES,
    `The permissions and time frames of these devices divide their samples into more than ${MAX_LIVE_TIMES} intervals. Receive the live data of individual devices.`,
  );
}

export const ownershipVersion = ({ id, version }: Pick<Ownership, "id" | "version">): string =>
  `${id}.${version}`;

/** Returns a device with all samples of an ownership. */
export const wholeDevice = (
  ownership: Pick<Ownership, "id" | "version" | "deviceId" | "startTime">,
): LiveDevice => ({
  deviceId: ownership.deviceId,
  ownership: ownershipVersion(ownership),
  parts: [
    {
      athleteId: null,
      times: [{ startMs: ownership.startTime.getTime(), stopMs: Number.POSITIVE_INFINITY }],
    },
  ],
});

/** Follows a device that the caller owns now. */
export const thatDevice =
  (ctx: Context, device: number): LiveDevices =>
  async () => [wholeDevice((await authorize(ctx, "streamRawData", { device })).ownership)];

const currentlyOwned = preparedOnce((queries) =>
  queries
    .select()
    .from(ownerships)
    .where(and(eq(ownerships.managerId, sql.placeholder("manager")), eq(ownerships.endTime, CURRENT_END)))
    .orderBy(asc(ownerships.deviceId))
    .limit(MAX_LIVE_DEVICES + 1)
    .prepare("currently_owned"),
);

/** Follows all devices that the caller owns now. */
export const ownDevices =
  (ctx: Context): LiveDevices =>
  async () => {
    await authorize(ctx, "streamAllSamples", {});
    const owned = await currentlyOwned(ctx.queries).execute({ manager: ctx.caller?.id ?? 0 });
    requireFewDevices(owned.length);
    return owned.map(wholeDevice);
  };

/** Returns the times of all parts together. */
export const timesOf = (parts: readonly LivePart[]): Interval[] =>
  normaliseIntervals(parts.flatMap(({ times }) => times));

/** Returns the parts of a device that the caller could see at both times. */
export const commonParts = (before: LiveDevice, after: LiveDevice): LivePart[] =>
  before.parts.flatMap(({ athleteId, times }) => {
    const still = after.parts.find((part) => part.athleteId === athleteId);
    const common = still === undefined ? [] : intersect(times, still.times);
    return common.length === 0 ? [] : [{ athleteId, times: common }];
  });
