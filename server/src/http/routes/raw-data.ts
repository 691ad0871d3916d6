import { pipeline, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  DOWNLOAD_TYPES,
  type DownloadFormat,
  DownloadQuery,
  downloadSamples,
} from "../../domain/raw-data/download.js";
import {
  fetchLatestRawData,
  fetchRawData,
  LatestQuery,
  listRawDataRanges,
  newRawDataReading,
  RangesQuery,
  RawDataQuery,
  retrieveLatestTimestamp,
} from "../../domain/raw-data/fetch.js";
import { PageCache } from "../../domain/raw-data/page-cache.js";
import { LatestTimestamp, RawDataRange, RawDataSample } from "../../domain/raw-data/resource.js";
import { Page } from "../../wire/types.js";
import { deprecationHeaders } from "../deprecation.js";
import { ConcurrencyLimiter } from "../limits/concurrency-limiter.js";
import { measureRawData } from "../monitoring/resource-metrics.js";
import { acceptsGzip, preferredType } from "../negotiation.js";
import { pathPrefix } from "../path-prefix.js";
import { FileResponse, type ResponseHead } from "../responses.js";
import { type AnyOperation, route } from "../route.js";

const tag = "Raw data";

/** Maximum number of concurrent downloads in a process. A download to a slow client may take hours. */
const MAX_DOWNLOADS = 8;
const MAX_DOWNLOADS_PER_USER = 2;

/** Samples in memory are at most one batch and, as Parquet, one group of rows. */
const PIECE_BYTES = 64 * 1024;

export function rawDataRoutes(app: FastifyInstance): void {
  const { clock, replica } = app.dependencies;
  const cache = new PageCache(clock, app.config.rawDataCacheBytes);
  const reading = newRawDataReading(cache, replica);
  measureRawData(app.metrics, cache, replica);

  route(app, {
    id: "fetchRawData",
    tag,
    summary: "Fetch raw data of a device",
    description:
      "Samples from start to stop, at most 2 days, in order of time. New data can appear up to 120 seconds late. The response is compressed for clients that accept gzip.",
    method: "GET",
    path: "/api/v1/devices/{device}/preprocessed-data/",
    otherPaths: ["/api/v1/devices/{device}/raw-data/"],
    query: RawDataQuery,
    success: { status: 200, schema: Page(RawDataSample) },
    failures: [304, 400],
    throttle: ["rawData"],
    async handle({ ctx, target, query, request, reply }) {
      markOldBounds(app, reply, query, request.routeOptions.config.operation);
      const page = await fetchRawData(ctx, reading, target, query, acceptsGzip(request));
      reply.header("Cache-Control", "private, max-age=0");
      return page;
    },
  });

  const downloads = new ConcurrencyLimiter(MAX_DOWNLOADS, MAX_DOWNLOADS_PER_USER);
  route(app, {
    id: "downloadSamples",
    tag,
    version: 2,
    summary: "Download the samples of a device as a file",
    description:
      "All samples while you owned the device, for any length of time, in order of time: CSV, JSON lines or Parquet, as `asi convert` writes them. The service sends the file while it reads the samples. To continue after an interruption, request the samples from the last complete row on. CSV and JSON lines are compressed for clients that accept gzip.",
    method: "GET",
    path: "/api/v2/devices/{device}/samples/",
    query: DownloadQuery,
    success: {
      status: 200,
      mediaType: DOWNLOAD_TYPES.csv,
      otherMediaTypes: [DOWNLOAD_TYPES.jsonl, DOWNLOAD_TYPES.parquet],
      isFile: true,
    },
    failures: [400],
    throttle: ["files"],
    ignoresAccept: true,
    async handle({ ctx, target, query, request, reply }) {
      await downloads.take(reply);
      const format = query.format ?? preferredFormat(request);
      const samples = downloadSamples(ctx, target, query, format);
      reply.header("Vary", "Authorization, Cookie, Accept, Accept-Encoding");
      // For a HEAD, the framework would read all samples and discard them.
      const source = request.method === "HEAD" ? [] : samples;
      const file = Readable.from(source, { objectMode: false, highWaterMark: PIECE_BYTES });
      const isGzipped = format !== "parquet" && acceptsGzip(request);
      if (isGzipped) reply.header("Content-Encoding", "gzip");
      const content = isGzipped ? gzipped(file) : file;
      return new FileResponse(`device-${target.device.id}.${format}`, null, content, DOWNLOAD_TYPES[format]);
    },
  });

  route(app, {
    id: "listRawDataRanges",
    tag,
    summary: "List the ranges of raw data of a device",
    description:
      "A range is a group of samples with gaps of at most 5 minutes. The request can cover at most 14 days.",
    method: "GET",
    path: "/api/v1/devices/{device}/preprocessed-data-ranges/",
    otherPaths: ["/api/v1/devices/{device}/raw-data-ranges/"],
    query: RangesQuery,
    success: { status: 200, schema: Page(RawDataRange) },
    failures: [400],
    throttle: ["rawData"],
    async handle({ ctx, target, query, request, reply }) {
      markOldBounds(app, reply, query, request.routeOptions.config.operation);
      return listRawDataRanges(ctx, target, query);
    },
  });

  route(app, {
    id: "fetchLatestRawData",
    tag,
    summary: "Fetch the latest raw data of a device",
    description: "The newest samples of your ownership, newest first.",
    method: "GET",
    path: "/api/v1/devices/{device}/latest-preprocessed-data/",
    otherPaths: ["/api/v1/devices/{device}/latest-raw-data/"],
    query: LatestQuery,
    success: { status: 200, schema: Type.Array(RawDataSample) },
    failures: [400],
    throttle: ["rawData"],
    handle: ({ ctx, target, query }) => fetchLatestRawData(ctx, target, query),
  });

  route(app, {
    id: "retrieveLatestTimestamp",
    tag,
    summary: "Retrieve the time of a device's latest raw data",
    description: "Returns 404 if your ownership has no data.",
    method: "GET",
    path: "/api/v1/devices/{device}/latest-timestamp/",
    success: { status: 200, schema: LatestTimestamp },
    failures: [400],
    throttle: ["rawData"],
    handle: ({ ctx, target }) => retrieveLatestTimestamp(ctx, target),
  });
}

/** `start_iso` and `stop_iso` are deprecated; responses to them have the headers of deprecated operations. */
function markOldBounds(
  app: FastifyInstance,
  reply: ResponseHead,
  query: { start_iso?: string; stop_iso?: string },
  operation: AnyOperation | undefined,
): void {
  const isOld = query.start_iso !== undefined || query.stop_iso !== undefined;
  if (isOld && operation !== undefined) deprecationHeaders(reply, operation, pathPrefix(app.config.baseUrl));
}

/** The format of `Accept`; CSV if it names none of them. */
function preferredFormat(request: FastifyRequest): DownloadFormat {
  const type = preferredType(request, Object.values(DOWNLOAD_TYPES));
  const formats = Object.keys(DOWNLOAD_TYPES) as DownloadFormat[];
  return formats.find((format) => DOWNLOAD_TYPES[format] === type) ?? "csv";
}

/** An error of the file destroys the result. */
const gzipped = (file: Readable): Readable =>
  pipeline(file, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined);
