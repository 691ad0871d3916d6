import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { exampleComputedData } from "../../domain/computed-data/example.js";
import {
  retrieveActivityComputedData,
  retrieveComputedData,
  type ShownComputedData,
} from "../../domain/computed-data/retrieve.js";
import { COMPUTED_DATA_SCHEMA } from "../../wire/computed-data-schema.js";
import { Query } from "../../wire/types.js";
import type { ResponseHead } from "../responses.js";
import { route } from "../route.js";

const tag = "Computed data";

const { definition: _, ...example } = exampleComputedData();

/** Stored with its definition, which is returned on request. */
const ComputedData = Type.Unsafe<ShownComputedData>({
  ...COMPUTED_DATA_SCHEMA,
  required: COMPUTED_DATA_SCHEMA.required.filter((name) => name !== "definition"),
  $id: "ComputedData",
  examples: [example],
});

const DefinitionQuery = Type.Object({
  with_definition: Query.boolean("Add definition: the rules and parameters of the computation"),
});

const VERSION_HEADER = "X-Definition-Version";
const headers = {
  [VERSION_HEADER]: "Version of the rules of the computation; several versions are separated by commas",
};

/** Results of different versions are not comparable. */
function setVersionHeader(reply: ResponseHead, versions: readonly number[]): void {
  if (versions.length > 0) reply.header(VERSION_HEADER, versions.toSorted((a, b) => a - b).join(", "));
}

const ActivityComputedData = Type.Array(
  Type.Object({ timeframe: Type.Integer({ description: "Id of the time frame" }), data: ComputedData }),
);

export function computedDataRoutes(app: FastifyInstance): void {
  route(app, {
    id: "retrieveActivityComputedData",
    tag,
    summary: "Retrieve an activity's computed data",
    description: "The data of its time frames that you may read, by id. Stale data are computed again first.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/activities/{activity}/computed-data/",
    query: DefinitionQuery,
    success: { status: 200, schema: ActivityComputedData, headers },
    failures: [400],
    async handle({ ctx, target, query, reply }) {
      const found = await retrieveActivityComputedData(ctx, target, query.with_definition ?? false);
      setVersionHeader(reply, found.definitionVersions);
      return found.answer;
    },
  });

  route(app, {
    id: "retrieveTimeframeComputedData",
    tag,
    summary: "Retrieve a time frame's computed data",
    description: "Stale data are computed again first. `last_computation` is the time of the computation.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/timeframes/{timeframe}/computed-data/",
    query: DefinitionQuery,
    success: { status: 200, schema: ComputedData, headers },
    failures: [400],
    async handle({ ctx, target, query, reply }) {
      const found = await retrieveComputedData(ctx, target, query.with_definition ?? false);
      setVersionHeader(reply, found.definitionVersions);
      return found.answer;
    },
  });
}
