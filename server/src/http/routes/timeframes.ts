import type { FastifyInstance } from "fastify";
import { createTimeframe } from "../../domain/timeframes/create.js";
import { deleteTimeframe } from "../../domain/timeframes/delete.js";
import { listTimeframes, retrieveTimeframe, TimeframeFilters } from "../../domain/timeframes/list.js";
import { Timeframe, TimeframeInput, TimeframePatch } from "../../domain/timeframes/resource.js";
import { updateTimeframe } from "../../domain/timeframes/update.js";
import { Page } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Time frames";

const RECOMPUTED =
  "The data of the time frame are recomputed after the response. If retention has removed its samples, the data are kept unless the athlete, the device or the times change.";

export function timeframeRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listTimeframes",
    tag,
    summary: "List your time frames",
    deprecated: true,
    method: "GET",
    path: "/api/v1/timeframes/",
    query: TimeframeFilters,
    success: { status: 200, schema: Page(Timeframe) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listTimeframes(ctx, query),
  });

  route(app, {
    id: "createTimeframe",
    tag,
    summary: "Create a time frame",
    description:
      "The data of the time frame are computed after the response, and again when new samples within it are stored.",
    deprecated: true,
    method: "POST",
    path: "/api/v1/timeframes/",
    body: TimeframeInput,
    success: { status: 201, schema: Timeframe },
    failures: [400],
    handle: ({ ctx, body }) => createTimeframe(ctx, body),
  });

  route(app, {
    id: "retrieveTimeframe",
    tag,
    summary: "Retrieve a time frame",
    deprecated: true,
    method: "GET",
    path: "/api/v1/timeframes/{timeframe}/",
    query: TimeframeFilters,
    success: { status: 200, schema: Timeframe },
    failures: [400],
    handle: ({ ctx, target, query }) => retrieveTimeframe(ctx, target, query),
  });

  route(app, {
    id: "updateTimeframe",
    tag,
    summary: "Update a time frame",
    description: RECOMPUTED,
    deprecated: true,
    method: "PUT",
    path: "/api/v1/timeframes/{timeframe}/",
    query: TimeframeFilters,
    body: TimeframeInput,
    success: { status: 200, schema: Timeframe },
    failures: [400],
    handle: ({ ctx, target, query, body }) => updateTimeframe(ctx, "updateTimeframe", target, query, body),
  });

  route(app, {
    id: "updateTimeframePartially",
    tag,
    summary: "Update a time frame partially",
    description: `Only the fields in the body are changed. ${RECOMPUTED}`,
    deprecated: true,
    method: "PATCH",
    path: "/api/v1/timeframes/{timeframe}/",
    query: TimeframeFilters,
    body: TimeframePatch,
    success: { status: 200, schema: Timeframe },
    failures: [400],
    handle: ({ ctx, target, query, body }) =>
      updateTimeframe(ctx, "updateTimeframePartially", target, query, body),
  });

  route(app, {
    id: "deleteTimeframe",
    tag,
    summary: "Delete a time frame",
    description: "The computed data of the time frame are also deleted.",
    deprecated: true,
    method: "DELETE",
    path: "/api/v1/timeframes/{timeframe}/",
    query: TimeframeFilters,
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, ids, query }) => deleteTimeframe(ctx, ids.timeframe, query),
  });
}
