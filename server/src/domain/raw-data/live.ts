import { setTimeout as sleep } from "node:timers/promises";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";
import { addedSamples, type SampleColumns, sqlClientOf } from "../../store/samples/index.js";
import type { LivePosition } from "../../wire/live-position.js";
import { LATEST_LIMITS } from "../../wire/page-limits.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import { closeLiveConnection, isNewest, type LiveTarget } from "./live-connection.js";
import {
  commonParts,
  type LiveDevices,
  MAX_LIVE_DEVICES,
  TOO_MANY_DEVICES,
  timesOf,
} from "./live-devices.js";
import { advance, type Progress, progressFrom, samplesIn } from "./live-progress.js";

/** Samples of a device that the client does not have, with ascending times. */
export interface LiveSamples {
  deviceId: number;
  athleteId: number | null;
  /** Whether the tracker sent them late: they are not later than a sample that the client has received. */
  isLate: boolean;
  samples: SampleColumns;
  /** Time of the newest sample of the device that the client has received after this batch; see `Progress`. */
  lastMs: number;
  /** Samples that the client has received, including these. The next batch changes it. */
  position: LivePosition;
}

/**
 * Reason why a connection ends: the session of the user has ended, the user may no longer see the target, the target
 * has too many devices, or the user has opened another connection.
 */
export type LiveEnd = "signed_out" | "not_permitted" | "too_many_devices" | "replaced";

/** Parameters of a live connection. */
interface Following {
  target: LiveTarget;
  /** Id from `openLiveConnection`. */
  connection: string;
  devices: LiveDevices;
  /** Samples that the client has received. The samples of other devices begin with the newest one. */
  position: LivePosition;
  /** Ends the connection without a reason. */
  signal: AbortSignal;
  /** Called once for each stored chunk that cannot be read. The connection continues without its samples. */
  onDamaged: (error: Error) => void;
}

/**
 * Number of devices that have left the connection and whose progress is kept in case they join the connection again.
 */
const MAX_LEFT_DEVICES = MAX_LIVE_DEVICES;

/**
 * Yields the samples of devices in the order of storage, regardless of their times. Every `LIVE_POLL_MS`, it yields a batch for
 * each device, after a batch of late samples if there are any. Without samples, it yields null. Omits samples that are at least
 * 15 minutes older than the newest one of the device, and all but the newest 300 of a batch. Every poll checks the rights of the
 * caller.
 * @returns the reason for the end; null after the signal
 */
export async function* followDevices(
  ctx: Context,
  { target, connection, devices, position, signal, onDamaged }: Following,
): AsyncGenerator<LiveSamples | null, LiveEnd | null> {
  // A stream may request the next batch in the context of another request.
  const caller = currentCaller();
  const has = new Map(position);
  const progresses = new Map(
    [...position].map(([device, lastMs]) => [device, progressFrom(lastMs ?? Number.NEGATIVE_INFINITY)]),
  );
  const poll = async (): Promise<Found[] | LiveEnd> => {
    const [signedIn, newest] = await Promise.all([
      ctx.isSignedIn?.() ?? false,
      isNewest(ctx, target, connection),
    ]);
    if (!signedIn) return "signed_out";
    if (!newest) return "replaced";
    try {
      return await newSamples(ctx, devices, progresses, { signal, onDamaged });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.kind === "forbidden" || error.kind === "not_found") return "not_permitted";
      if (error.code === TOO_MANY_DEVICES) return TOO_MANY_DEVICES;
      throw error;
    }
  };
  try {
    while (!signal.aborted) {
      const found = await onBehalfOf(caller, poll);
      if (typeof found === "string") return found;
      forgetLeft(has, progresses);
      // Send the late samples first. A client that gets only some of the events then continues without a gap.
      for (const { deviceId, batches } of found) {
        if (has.has(deviceId)) continue;
        const firstMs = batches.map(({ samples }) => samples.timestampMs[0] ?? 0);
        has.set(deviceId, batches.length === 0 ? null : Math.min(...firstMs) - 1);
      }
      let isNothing = true;
      for (const { deviceId, batches, lastMs } of found) {
        for (const [i, batch] of batches.entries()) {
          if (i === batches.length - 1) has.set(deviceId, lastMs);
          isNothing = false;
          if (signal.aborted) return null;
          yield { deviceId, ...batch, lastMs, position: has };
        }
      }
      if (signal.aborted) return null;
      if (isNothing) yield null;
      await sleep(ctx.config.livePollMs, undefined, { signal }).catch(() => undefined);
    }
    return null;
  } finally {
    // The next connection takes over a remaining row.
    await onBehalfOf(caller, () => closeLiveConnection(ctx, connection)).catch(() => undefined);
  }
}

/** Result of a poll for a device. */
interface Found {
  deviceId: number;
  batches: Pick<LiveSamples, "athleteId" | "isLate" | "samples">[];
  lastMs: number;
}

/** Removes the progress of devices that have left, in the order in which they left, if there are too many. */
function forgetLeft(has: Map<number, number | null>, progresses: Map<number, Progress>): void {
  let surplus = Math.max(has.size, progresses.size) - MAX_LIVE_DEVICES - MAX_LEFT_DEVICES;
  if (surplus <= 0) return;
  for (const [device, { known }] of progresses) {
    if (known !== null) continue;
    progresses.delete(device);
    has.delete(device);
    if (--surplus <= 0) return;
  }
}

/**
 * Reads the samples since the last poll of all devices, and checks the rights again afterwards. Between the first check
 * and the read, the caller may have released a device, and another manager may have taken it and loaded samples.
 */
async function newSamples(
  ctx: Context,
  devices: LiveDevices,
  progresses: Map<number, Progress>,
  polling: Pick<Following, "signal" | "onDamaged">,
): Promise<Found[]> {
  const before = await devices();
  const ids = new Set(before.map(({ deviceId }) => deviceId));
  for (const [device, progress] of progresses) {
    if (!ids.has(device) && progress.known !== null) progresses.set(device, { ...progress, known: null });
  }
  const progressOf = (device: number) => progresses.get(device) ?? progressFrom(null);
  const added = await addedSamples(
    sqlClientOf(ctx.queries),
    before.map(({ deviceId, parts }) => ({
      deviceId,
      times: timesOf(parts),
      known: progressOf(deviceId).known,
    })),
    { limit: LATEST_LIMITS.max, ...polling },
  );
  const isNew = [...added.values()].some(({ samples }) => samples.length > 0);
  const still = new Map((isNew ? await devices() : before).map((device) => [device.deviceId, device]));
  const nowMs = ctx.clock.now().getTime();
  return before.flatMap((device) => {
    const { deviceId } = device;
    const now = still.get(deviceId);
    const read = added.get(deviceId);
    // The next poll reads the device with the new ownership.
    if (read === undefined || now?.ownership !== device.ownership) return [];
    const parts = commonParts(device, now);
    const { late, inTime, progress } = advance(progressOf(deviceId), read, timesOf(parts), nowMs);
    progresses.set(deviceId, progress);
    const batches = [
      { isLate: true, samples: late },
      { isLate: false, samples: inTime },
    ].flatMap(({ isLate, samples }) =>
      parts
        .map(({ athleteId, times }) => ({ athleteId, isLate, samples: samplesIn(samples, times) }))
        .filter((batch) => batch.samples.length > 0),
    );
    return [{ deviceId, batches, lastMs: progress.lastMs ?? 0 }];
  });
}
