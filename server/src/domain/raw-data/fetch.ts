import { createHash } from "node:crypto";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { samplesToJson } from "asi-convert/json";
import { currentCaller } from "../../fairness/callers.js";
import { FairQueue } from "../../fairness/fair-queue.js";
import type { ReadReplica } from "../../store/connection/read-replica.js";
import {
  type Interval,
  latestSamples,
  latestTimestamp,
  listRanges,
  readPage,
  type SampleColumns,
  type SamplePage,
  sqlClientOf,
} from "../../store/samples/index.js";
import { LATEST_LIMITS, PAGE_LIMITS, SAMPLE_LIMITS } from "../../wire/page-limits.js";
import { type Page, pageQuery } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import type { Item } from "../change/entity-tags.js";
import { errors } from "../change/errors.js";
import { JsonBytes } from "../lists/json-bytes.js";
import { envelope, paging, requirePage } from "../lists/listing.js";
import { ownedParts, requireParts } from "../ownerships/interval.js";
import type { OnceOwnedDevice, OwnedDevice } from "../ownerships/rules.js";
import { BoundsQuery, MAX_DAYS_OF_RANGES, MAX_DAYS_OF_SAMPLES, readBounds } from "./bounds.js";
import { type HeldSamples, heldSamples } from "./held-samples.js";
import { withOwnershipRecheck } from "./ownership-recheck.js";
import type { CachedPage, PageCache } from "./page-cache.js";
import { readFromReplica } from "./replica-reading.js";
import { type RawDataSample, SAMPLE_KEYS } from "./resource.js";

export const RawDataQuery = Type.Object({ ...BoundsQuery, ...pageQuery(SAMPLE_LIMITS) });
export const RangesQuery = Type.Object({ ...BoundsQuery, ...pageQuery(PAGE_LIMITS) });

/** Maximum number of concurrent pages per client address. */
const PAGES_OF_ONE_ADDRESS = 4;

/** State shared by all requests for pages. */
export interface RawDataReading {
  cache: PageCache;
  /**
   * Lets each caller read one page at a time, because a waiting page takes memory, with a pause after each page, because a page
   * takes much processor time. Callers with different addresses do not wait for each other.
   */
  reads: FairQueue<number>;
  /** Formats one page at a time for all callers together, because 25,000 samples block the event loop for milliseconds. */
  writes: FairQueue<number>;
  /** Replica for reading pages while it is recent enough. */
  replica: ReadReplica | undefined;
}

export const newRawDataReading = (cache: PageCache, replica?: ReadReplica): RawDataReading => ({
  cache,
  replica,
  reads: new FairQueue({
    concurrency: Number.POSITIVE_INFINITY,
    concurrencyPerCaller: 1,
    concurrencyPerGroup: PAGES_OF_ONE_ADDRESS,
    cooldown: true,
  }),
  writes: new FairQueue({ concurrency: 1 }),
});

/**
 * Returns a page of samples with ascending times as JSON bytes. It is cached for 120 seconds, until the samples change.
 * @param acceptsGzip whether the page may be compressed
 */
export async function fetchRawData(
  ctx: Context,
  { cache, reads, writes, replica }: RawDataReading,
  target: OnceOwnedDevice,
  query: StaticDecode<typeof RawDataQuery>,
  acceptsGzip: boolean,
): Promise<Item<JsonBytes<Page<RawDataSample>>>> {
  const at = paging(query, SAMPLE_LIMITS);
  return withOwnershipRecheck(ctx, "fetchRawData", target, async ({ device }, recheck) => {
    const caller = ctx.caller?.id ?? 0;
    const { group } = currentCaller();
    const owner = { deviceId: device.id, ownerId: caller };
    const within = readBounds(query, MAX_DAYS_OF_SAMPLES);
    const held = await heldSamples(ctx.queries, owner, within);
    const intervals = held.times;
    requireParts(intervals, within);
    const read = async () => {
      const offset = (at.page - 1) * at.limit;
      const { page, ageMs } = await readFromReplica(ctx, replica, { owner, within, held }, (client) =>
        readPage(client, device.id, intervals, offset, at.limit),
      );
      await recheck(endOf(intervals));
      requirePage(page.count, at);
      // Run no query here. A query that waits for other queries of the caller would delay the pages of all callers.
      const written = await writes.run(
        caller,
        async () => {
          const written = {
            body: pageBody(page, at),
            isGzipped: false,
            etag: etagOf(page, intervals),
            ageMs,
          };
          // Let the event loop serve other requests before the next page blocks it.
          await nextEventLoopTurn();
          return written;
        },
        undefined,
        group,
      );
      // Compress in a thread, still within the caller's slot.
      return acceptsGzip ? compressed(written) : written;
    };
    const readInTurn = () => reads.run(caller, read, undefined, group);
    const key = `${acceptsGzip ? "gzip " : ""}${keyOf(ctx, device.id, held, at)}`;
    const { body, isGzipped, etag } = await cache.get(key, readInTurn);
    return { resource: new JsonBytes(body, isGzipped), etag };
  });
}

/** Shorter pages fit into one packet uncompressed. */
const LEAST_COMPRESSED_BYTES = 1_400;

/** Minimum compression ratio of samples. */
const LEAST_COMPRESSION = 4;

const gzipped = promisify(gzip);

/**
 * Compresses a page in a thread of the pool in one step. After each step, the thread pool waits for the event loop, and
 * with the default chunk size of 16 KiB, the largest page would need 30 steps.
 */
async function compressed(page: CachedPage): Promise<CachedPage> {
  if (page.body.length < LEAST_COMPRESSED_BYTES) return page;
  const chunkSize = Math.ceil(page.body.length / LEAST_COMPRESSION);
  const output = await gzipped(page.body, { level: constants.Z_BEST_SPEED, chunkSize });
  // Copy, because the output is part of a larger buffer, which the cache would keep alive.
  const body = new Uint8Array(output);
  // The tag differs, because a strong tag identifies the bytes as sent (RFC 9110 section 8.8.3.3).
  return { ...page, body, isGzipped: true, etag: page.etag.replace(/"$/, '-gzip"') };
}

const endOf = (ascending: readonly Interval[]): number => ascending.at(-1)?.stopMs ?? Number.NaN;

/**
 * Returns the cache key of a page. It includes the caller, because another caller may have owned the device at the same
 * times, with samples that have since been removed.
 */
const keyOf = (
  { caller }: Context,
  device: number,
  { times, state }: HeldSamples,
  { page, limit }: { page: number; limit: number },
) =>
  [
    caller?.id,
    device,
    page,
    limit,
    state,
    ...times.map(({ startMs, stopMs }) => `${startMs}-${stopMs}`),
  ].join(" ");

/** Formats the samples and their envelope without creating an object per sample. */
function pageBody({ count, columns }: SamplePage, at: { page: number; limit: number }): Uint8Array {
  const [before = "", after = ""] = JSON.stringify(envelope(count, at, [])).split("[]");
  return samplesToJson(columns, { keys: SAMPLE_KEYS, before, after });
}

/** Computes the entity tag from stored bytes, because hashing the samples takes four times as long. */
function etagOf({ count, source }: SamplePage, intervals: readonly Interval[]): string {
  const hash = createHash("sha256").update(JSON.stringify([count, intervals]));
  for (const text of source) hash.update(text);
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

/** Returns a page of ranges in ascending order. */
export async function listRawDataRanges(
  ctx: Context,
  target: OnceOwnedDevice,
  query: StaticDecode<typeof RangesQuery>,
) {
  const at = paging(query);
  const ranges = await withOwnershipRecheck(ctx, "listRawDataRanges", target, async ({ device }, recheck) => {
    const owner = { deviceId: device.id, ownerId: ctx.caller?.id ?? 0 };
    const intervals = await ownedParts(ctx.queries, owner, readBounds(query, MAX_DAYS_OF_RANGES));
    const found = await listRanges(sqlClientOf(ctx.queries), device.id, intervals);
    await recheck(endOf(intervals));
    return found;
  });
  requirePage(ranges.length, at);
  const first = (at.page - 1) * at.limit;
  const results = ranges.slice(first, first + at.limit).map(({ start, stop, size }) => ({
    start: new Date(start).toISOString(),
    stop: new Date(stop).toISOString(),
    size,
  }));
  return envelope(ranges.length, at, results);
}

export const LatestQuery = Type.Object({
  size: Type.Optional(
    Type.Transform(
      Type.String({
        format: "query-integer",
        problem: "A valid integer is required.",
        description: "Number of samples",
        openapi: { type: "integer", minimum: 1, maximum: LATEST_LIMITS.max, default: LATEST_LIMITS.default },
      }),
    )
      .Decode(Number)
      .Encode(String),
  ),
});

/** Returns the newest samples of the caller's ownership with descending times, as the bytes of a JSON array. */
export async function fetchLatestRawData(
  ctx: Context,
  target: OwnedDevice,
  { size = LATEST_LIMITS.default }: StaticDecode<typeof LatestQuery>,
): Promise<JsonBytes<RawDataSample[]>> {
  if (size < 1 || size > LATEST_LIMITS.max)
    throw errors.field("size", `Must be from 1 to ${LATEST_LIMITS.max}.`);
  return withOwnershipRecheck(ctx, "fetchLatestRawData", target, async ({ device, ownership }, recheck) => {
    const fromMs = ownership.startTime.getTime();
    const samples: SampleColumns = await latestSamples(sqlClientOf(ctx.queries), device.id, fromMs, size);
    if (samples.length > 0) await recheck(samples.timestampMs[0] ?? Number.NaN);
    return new JsonBytes(samplesToJson(samples, { keys: SAMPLE_KEYS }));
  });
}

/**
 * Returns the time of the newest sample of the caller's ownership.
 * @throws ServiceError `not_found` when there is none
 */
export async function retrieveLatestTimestamp(ctx: Context, target: OwnedDevice) {
  const timestamp = await withOwnershipRecheck(
    ctx,
    "retrieveLatestTimestamp",
    target,
    async ({ device, ownership }, recheck) => {
      const latest = await latestTimestamp(
        sqlClientOf(ctx.queries),
        device.id,
        ownership.startTime.getTime(),
      );
      if (latest !== null) await recheck(latest);
      return latest;
    },
  );
  if (timestamp === null) throw errors.notFound("The device has no data.");
  return { timestamp, datetime: new Date(timestamp).toISOString().replace("Z", "+00:00") };
}
