import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { exampleComputedData } from "../../domain/computed-data/example.js";
import { retrieveActivityComputedData, retrieveComputedData } from "../../domain/computed-data/retrieve.js";
import { COMPUTED_DATA_SCHEMA } from "../../metrics/computed-data-schema.js";
import { route } from "../route.js";

const tag = "Computed data";

const ComputedData = Type.Unsafe({
  ...COMPUTED_DATA_SCHEMA,
  $id: "ComputedData",
  examples: [exampleComputedData()],
});

const ActivityComputedData = Type.Array(
  Type.Object({ timeframe: Type.Integer({ description: "Id of the time frame" }), data: ComputedData }),
);

export function computedDataRoutes(app: FastifyInstance): void {
  route(app, {
    id: "retrieveActivityComputedData",
    tag,
    summary: "Retrieve an activity's computed data",
    description: "Those of its time frames that you may read, by id. Stale data are computed anew first.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/activities/{activity}/computed-data/",
    success: { status: 200, schema: ActivityComputedData },
    handle: ({ ctx, target }) => retrieveActivityComputedData(ctx, target),
  });

  route(app, {
    id: "retrieveTimeframeComputedData",
    tag,
    summary: "Retrieve a time frame's computed data",
    description: "Stale data are computed anew first; `last_computation` tells their age.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/timeframes/{timeframe}/computed-data/",
    success: { status: 200, schema: ComputedData },
    handle: ({ ctx, target }) => retrieveComputedData(ctx, target),
  });
}
