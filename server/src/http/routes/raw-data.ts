import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
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
import { measureRawData } from "../monitoring/resource-metrics.js";
import { acceptsGzip } from "../negotiation.js";
import type { AnyOperation } from "../operation.js";
import { pathPrefix } from "../path-prefix.js";
import type { ResponseHead } from "../responses.js";
import { route } from "../route.js";

const tag = "Raw data";

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
      "Returns the samples from start to stop, at most 2 days, in chronological order. Pages are cached until the samples change. Samples that a gateway streams can appear up to 120 seconds late. The response is compressed for clients that accept gzip.",
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
    description: "Returns the newest samples of your ownership, newest first.",
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

/** Marks responses to the deprecated parameters `start_iso` and `stop_iso` with the headers of deprecated operations. */
function markOldBounds(
  app: FastifyInstance,
  reply: ResponseHead,
  query: { start_iso?: string; stop_iso?: string },
  operation: AnyOperation | undefined,
): void {
  const isOld = query.start_iso !== undefined || query.stop_iso !== undefined;
  if (isOld && operation !== undefined) deprecationHeaders(reply, operation, pathPrefix(app.config.baseUrl));
}
