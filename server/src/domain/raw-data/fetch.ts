import { createHash } from "node:crypto";
import { type StaticDecode, Type } from "@sinclair/typebox";
import { samplesToJson } from "asi-convert";
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
import { PAGE_LIMITS, pageQuery } from "../../wire/types.js";
import type { Context } from "../context.js";
import type { OnceOwnedDevice, OwnedDevice } from "../devices/rules.js";
import { errors } from "../errors.js";
import type { Item } from "../item.js";
import { envelope, paging, requirePage } from "../listing.js";
import { BoundsQuery, ownedParts, readBounds } from "./interval.js";
import type { PageCache } from "./page-cache.js";

/** Limits of the specification: samples per page, and days between start and stop. */
const SAMPLE_LIMITS = { default: 10_000, max: 25_000 };
const MAX_DAYS_OF_SAMPLES = 2;
const MAX_DAYS_OF_RANGES = 14;

export const RawDataQuery = Type.Object({ ...BoundsQuery, ...pageQuery(SAMPLE_LIMITS) });
export const RangesQuery = Type.Object({ ...BoundsQuery, ...pageQuery(PAGE_LIMITS) });

/** A page of samples, times ascending, as the bytes of its JSON. It may be 120 seconds old. */
export async function fetchRawData(
  { queries }: Context,
  cache: PageCache,
  { device, ownerships }: OnceOwnedDevice,
  query: StaticDecode<typeof RawDataQuery>,
): Promise<Item<Uint8Array>> {
  const at = paging(query, SAMPLE_LIMITS);
  const intervals = ownedParts(ownerships, readBounds(query, MAX_DAYS_OF_SAMPLES));
  const { body, etag } = await cache.get(keyOf(device.id, intervals, at), async () => {
    const offset = (at.page - 1) * at.limit;
    const page = await readPage(sqlClientOf(queries), device.id, intervals, offset, at.limit);
    requirePage(page.count, at);
    return { body: pageBody(page, at), etag: etagOf(page) };
  });
  return { resource: body, etag };
}

const keyOf = (
  device: number,
  intervals: readonly Interval[],
  { page, limit }: { page: number; limit: number },
) => [device, page, limit, ...intervals.map(({ startMs, stopMs }) => `${startMs}-${stopMs}`)].join(" ");

/** The envelope around the samples, without an object for each. */
function pageBody({ count, columns }: SamplePage, at: { page: number; limit: number }): Uint8Array {
  const [before = "", after = ""] = JSON.stringify(envelope(count, at, [])).split("[]");
  return samplesToJson(columns, { before, after });
}

function etagOf({ count, columns }: SamplePage): string {
  const hash = createHash("sha256").update(String(count));
  const { timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType } = columns;
  for (const column of [timestampMs, latitudeE7, longitudeE7, altitudeMm, speedMmPerS, hr, fixType]) {
    hash.update(column.subarray(0, columns.length));
  }
  return `"${hash.digest("base64url").slice(0, 22)}"`;
}

/** A page of ranges, ascending. */
export async function listRawDataRanges(
  { queries }: Context,
  { device, ownerships }: OnceOwnedDevice,
  query: StaticDecode<typeof RangesQuery>,
) {
  const at = paging(query);
  const intervals = ownedParts(ownerships, readBounds(query, MAX_DAYS_OF_RANGES));
  const ranges = await listRanges(sqlClientOf(queries), device.id, intervals);
  requirePage(ranges.length, at);
  const first = (at.page - 1) * at.limit;
  const results = ranges.slice(first, first + at.limit).map(({ start, stop, size }) => ({
    start: new Date(start).toISOString(),
    stop: new Date(stop).toISOString(),
    size,
  }));
  return envelope(ranges.length, at, results);
}

/** Samples of the latest raw data: default is one second at 10 Hz. */
const LATEST = { default: 10, max: 300 };

export const LatestQuery = Type.Object({
  size: Type.Optional(
    Type.Transform(
      Type.String({
        format: "query-integer",
        problem: "A valid integer is required.",
        description: "Number of samples",
        openapi: { type: "integer", minimum: 1, maximum: LATEST.max, default: LATEST.default },
      }),
    )
      .Decode(Number)
      .Encode(String),
  ),
});

/** The newest samples of the caller's ownership, times descending, as the bytes of a JSON array. */
export async function fetchLatestRawData(
  { queries }: Context,
  { device, ownership }: OwnedDevice,
  { size = LATEST.default }: StaticDecode<typeof LatestQuery>,
): Promise<Uint8Array> {
  if (size < 1 || size > LATEST.max) throw errors.field("size", `Must be from 1 to ${LATEST.max}.`);
  const samples: SampleColumns = await latestSamples(
    sqlClientOf(queries),
    device.id,
    ownership.startTime.getTime(),
    size,
  );
  return samplesToJson(samples);
}

/**
 * The time of the newest sample of the caller's ownership.
 * @throws ServiceError `not_found` when there is none
 */
export async function retrieveLatestTimestamp({ queries }: Context, { device, ownership }: OwnedDevice) {
  const timestamp = await latestTimestamp(sqlClientOf(queries), device.id, ownership.startTime.getTime());
  if (timestamp === null) throw errors.notFound("The device has no data.");
  return { timestamp, datetime: new Date(timestamp).toISOString().replace("Z", "+00:00") };
}
