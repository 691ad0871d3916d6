import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { type FormatName, formatSamples } from "asi-convert";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";
import {
  type Interval,
  type SampleColumns,
  sliceColumns,
  sqlClientOf,
  streamSamples,
} from "../../store/samples/index.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { Query } from "../../wire/types.js";
import { accessRecheck } from "../change/access-recheck.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";
import type { OnceOwnedDevice } from "../ownerships/rules.js";
import { ownedTimes } from "../sample-ownership/owners.js";

/** Formats of downloads, in the order of preference for clients without one, with their media types. */
export const DOWNLOAD_TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
} as const satisfies Partial<Record<FormatName, string>>;

export type DownloadFormat = keyof typeof DOWNLOAD_TYPES;

export const DownloadQuery = Type.Object({
  from: Query.dateTime("Only samples from this time on"),
  to: Query.dateTime("Only samples before this time"),
  format: Type.Optional(
    Type.Union(
      (Object.keys(DOWNLOAD_TYPES) as DownloadFormat[]).map((name) => Type.Literal(name)),
      { description: "The format; takes precedence over `Accept`" },
    ),
  ),
});

/** Number of samples that are formatted before other work has a turn. */
const SAMPLES = 10_000;

/**
 * Returns the samples of a device while the caller owned it, in order of time, as a file in pieces. Reads them during the transfer,
 * in separate statements, in limited memory.
 * @throws ServiceError `invalid`; from the generator `unauthenticated` when the caller is signed out, and `forbidden` when the
 *   caller no longer owns the times of samples that were read
 */
export function downloadSamples(
  ctx: Context,
  { device }: OnceOwnedDevice,
  { from, to }: StaticDecode<typeof DownloadQuery>,
  format: DownloadFormat,
): AsyncGenerator<Uint8Array, void, undefined> {
  const within = { startMs: from?.getTime() ?? EARLIEST_MS, stopMs: (to?.getTime() ?? LATEST_MS + 1) - 1 };
  if (within.stopMs < within.startMs) throw errors.field("to", "Must be after from.");
  const info = { ...UNKNOWN, serial: device.serialNumber };
  return formatSamples(ownSamples(ctx, device.id, within), { format, info });
}

/** The service stores no other texts of headers. */
const UNKNOWN = { formatVersion: 1, deviceName: "", deviceType: "", firmwareVersion: "", periodMs: 0 };

async function* ownSamples(
  ctx: Context,
  deviceId: number,
  within: Interval,
): AsyncGenerator<SampleColumns, void, undefined> {
  // The response may request the next part in the context of another request.
  const caller = currentCaller();
  const owner = { deviceId, ownerId: ctx.caller?.id ?? 0 };
  const recheck = accessRecheck(ctx);
  const times = await ownedTimes(ctx.queries, owner, within);
  const batches = streamSamples(sqlClientOf(ctx.queries), deviceId, times);
  const readNext = async () => {
    const batch = (await batches.next()).value ?? null;
    await recheck();
    // Another manager may have taken the device before the samples were read, and loaded some of them.
    if (batch !== null)
      requireOwned(times, extentOf(batch), await ownedTimes(ctx.queries, owner, extentOf(batch)));
    return batch;
  };
  for (;;) {
    const batch = await onBehalfOf(caller, readNext);
    if (batch === null) return;
    for (let at = 0; at < batch.length; at += SAMPLES) {
      yield sliceColumns(batch, at, Math.min(at + SAMPLES, batch.length));
      await nextEventLoopTurn();
    }
  }
}

const extentOf = ({ timestampMs, length }: SampleColumns): Interval => ({
  startMs: timestampMs[0] ?? Number.NaN,
  stopMs: timestampMs[length - 1] ?? Number.NaN,
});

/** Requires that the caller still owns the read times. Both lists are closed, ascending and disjoint. */
function requireOwned(
  read: readonly Interval[],
  { startMs, stopMs }: Interval,
  owned: readonly Interval[],
): void {
  const isOwned = (part: Interval) =>
    owned.some((one) => one.startMs <= part.startMs && one.stopMs >= part.stopMs);
  const parts = read
    .filter((part) => part.startMs <= stopMs && part.stopMs >= startMs)
    .map((part) => ({ startMs: Math.max(part.startMs, startMs), stopMs: Math.min(part.stopMs, stopMs) }));
  if (!parts.every(isOwned)) throw errors.forbidden();
}
