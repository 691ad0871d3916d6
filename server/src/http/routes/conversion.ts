import { Type } from "@sinclair/typebox";
import { FORMAT_NAMES, type FormatName, type Report, withoutRanges } from "asi-convert";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { ResponseBudget } from "../connection/response-budget.js";
import { clientLeft, onResponseEnd } from "../connection/response-end.js";
import { transferOf } from "../connection/slow-clients.js";
import { MAX_GROWTH, receiveAndConvert } from "../files/receive.js";
import { Spool } from "../files/spool.js";
import {
  BUSY_BYTES_PER_SECOND,
  ConcurrencyLimiter,
  FAIR_HOLD_MS,
  OVER_SHARE_HOLD_MS,
} from "../limits/concurrency-limiter.js";
import { FileResponse, type ResponseHead } from "../responses.js";
import { route } from "../route.js";

const ConversionForm = Type.Object({
  file: Type.String({
    format: "binary",
    description: "The recording: an .asi file, or an .asi file compressed with gzip",
  }),
});

const ConversionQuery = Type.Object({
  format: Type.Union(
    FORMAT_NAMES.map((name) => Type.Literal(name)),
    { description: "The format of the file" },
  ),
});

/** Media types of the formats other than CSV. */
const OTHER_MEDIA_TYPES = [
  "application/vnd.apache.parquet",
  "application/gpx+xml",
  "application/vnd.garmin.tcx+xml",
  "application/vnd.ant.fit",
  "application/geo+json",
  "application/x-ndjson",
  "application/vnd.google-earth.kml+xml",
];

/**
 * Formats with a beginning that depends on the end of a range or of the file. Their conversion keeps all rows in
 * memory, 26 bytes per row, up to 70 MB for the largest recording. A limit on concurrent conversions bounds the memory
 * of the process.
 */
const BUFFERING_FORMATS: readonly FormatName[] = ["tcx", "fit", "geojson"];
const MAX_BUFFERING = 2;
const MAX_BUFFERING_PER_USER = 1;

/** Files in memory or on disk until their clients have read them. */
const MAX_WAITING_FILES = 64;
const MAX_WAITING_FILES_PER_USER = 8;

const RETRY_AFTER_MS = 5_000;

export function conversionRoutes(app: FastifyInstance): void {
  let spool: Spool | undefined;
  app.addHook("onReady", async () => {
    spool = await Spool.open(app.config.dataDir, app.config.convertMemoryBytes);
  });
  app.addHook("onClose", async () => spool?.close());
  const waiting = new ConcurrencyLimiter(MAX_WAITING_FILES, MAX_WAITING_FILES_PER_USER);

  const buffering = new ConcurrencyLimiter(MAX_BUFFERING, MAX_BUFFERING_PER_USER);

  const disk = new ResponseBudget({
    process: app.config.convertDiskBytes,
    address: app.config.convertDiskBytes / 2,
    caller: app.config.convertDiskBytes / 4,
    fairHoldMs: FAIR_HOLD_MS,
    overShareHoldMs: OVER_SHARE_HOLD_MS,
    busyBytesPerSecond: BUSY_BYTES_PER_SECOND,
    refusal: () => errors.throttled(RETRY_AFTER_MS),
  });

  /**
   * Reserves space for the file before it is received; the file of a compressed recording may need more. The actual size stays
   * reserved until the client has read the file.
   */
  async function takeDisk(format: FormatName, request: FastifyRequest, reply: ResponseHead) {
    const { convertMaxBytes } = app.config;
    const received = Math.min(Number(request.headers["content-length"] ?? convertMaxBytes), convertMaxBytes);
    const { name, group } = request.onBehalfOf;
    const share = disk.open(
      name,
      group,
      () => request.raw.socket.destroy(),
      () => transferOf(request.raw),
    );
    onResponseEnd(reply, () => share.release());
    await share.reserve(growthOf(format) * received, request.ctx.signal);
    return share;
  }

  async function convertTo(format: FormatName, request: FastifyRequest, reply: ResponseHead) {
    if (spool === undefined) throw new Error("The application is not ready");
    await waiting.take(reply);
    const largest = growthOf(format) * app.config.convertMaxBytes;
    const share = await takeDisk(format, request, reply);
    const releaseBuffer = BUFFERING_FORMATS.includes(format) ? await buffering.take(reply) : undefined;
    const file = spool.file((bytes) =>
      bytes <= share.bytes
        ? undefined
        : share.reserve(Math.max(bytes, Math.min(share.bytes + GROWTH_BYTES, largest)), request.ctx.signal),
    );
    let isOver = false;
    onResponseEnd(reply, () => {
      isOver = true;
      file
        .remove()
        .catch((error: unknown) => request.log.error({ err: error }, "converted file not removed"));
    });
    const converted = await receiveAndConvert(request, file, format, app.config.convertMaxBytes);
    share.resize(converted.bytes);
    // The client determines the time for reading the response.
    releaseBuffer?.();
    request.releaseSlot?.();
    const content = await file.read().catch((error: unknown) => {
      // Remove the file when the client disconnects.
      throw isOver ? clientLeft() : error;
    });
    reply.header("X-Asi-Report", reportHeader(converted.report));
    return new FileResponse(converted.fileName, converted.bytes, content, converted.mediaType);
  }

  /** Members shared by both operations. */
  const conversion = {
    tag: "Files",
    method: "POST",
    consumes: "multipart/form-data",
    describedBody: ConversionForm,
    failures: [400],
    throttle: ["files"],
    takesSlot: true,
    ignoresAccept: true,
  } as const;

  route(app, {
    ...conversion,
    id: "convertFile",
    summary: "Convert an .asi file into a .csv file",
    description:
      "The CSV is named {serial}_{start}_{end}.csv. The header X-Asi-Report accounts for every byte of the recording, as JSON.",
    path: "/api/v2/files/asi-to-csv/",
    success: { status: 200, mediaType: "text/csv", isFile: true },
    handle: ({ request, reply }) => convertTo("csv", request, reply),
  });

  route(app, {
    ...conversion,
    id: "convertFileToFormat",
    summary: "Convert an .asi file into a file of another format",
    description:
      "The file is named {serial}_{start}_{end} with the extension of the format. The header X-Asi-Report accounts for every byte of the recording, as JSON.",
    path: "/api/v2/files/convert/",
    query: ConversionQuery,
    success: { status: 200, mediaType: "text/csv", otherMediaTypes: OTHER_MEDIA_TYPES, isFile: true },
    handle: ({ request, reply, query }) => convertTo(query.format, request, reply),
  });
}

/** Space reserved at once for a file that becomes larger than expected. */
const GROWTH_BYTES = 16 * 1024 * 1024;

/** Returns the maximum size of a converted file divided by the size of the recording. */
const growthOf = (format: FormatName): number => (format === "csv" ? 1 : MAX_GROWTH);

/** Maximum length of the report. Clients and proxies accept at least 8 KiB for all headers together. */
const MAX_REPORT_LENGTH = 4096;

/** A report with more ranges is too long. The list is not created, because a recording can have millions. */
const MAX_RANGES = 100;

/** Formats the report as one line of ASCII, without its ranges if there are too many. */
function reportHeader(report: Report): string {
  const { rest, count } = withoutRanges(report);
  const json = count > MAX_RANGES ? null : JSON.stringify(report);
  return json !== null && json.length <= MAX_REPORT_LENGTH
    ? json
    : JSON.stringify({ ...rest, ranges_left_out: count });
}
