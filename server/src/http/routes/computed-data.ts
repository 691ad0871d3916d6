import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { exampleComputedData } from "../../domain/computed-data/example.js";
import {
  retrieveActivityComputedData,
  retrieveComputedData,
  type ShownComputedData,
} from "../../domain/computed-data/retrieve.js";
import { COMPUTED_DATA_SCHEMA } from "../../wire/computed-data-schema.js";
import { FULL_DEFINITION, OPTIONAL_FIGURES } from "../../wire/optional-figures-schema.js";
import { Query } from "../../wire/types.js";
import type { ResponseHead } from "../responses.js";
import { route } from "../route.js";

const tag = "Computed data";

const { definition: _, ...example } = exampleComputedData();

/** The definition and the optional figures are returned only if a request selects them. */
const ComputedData = Type.Unsafe<ShownComputedData>({
  ...COMPUTED_DATA_SCHEMA,
  properties: { ...COMPUTED_DATA_SCHEMA.properties, definition: FULL_DEFINITION, ...OPTIONAL_FIGURES },
  required: COMPUTED_DATA_SCHEMA.required.filter((name) => name !== "definition"),
  $id: "ComputedData",
  examples: [example],
});

const ofActivity = {
  with_definition: Query.boolean("Add definition: the rules and parameters of the computation"),
  with_peaks: Query.boolean("Add peak_demands: the most demanding passage of each length"),
};
const OF_SESSION = "Add acceleration_speed: the acceleration-speed profile, or the reason why there is none";
const onRequest = {
  with_metabolic_power: Query.boolean(
    "Add metabolic: metabolic power, an estimate from speed with large errors; with with_peaks also its peaks",
  ),
  with_standard_runs: Query.boolean("Experimental. Add standard_runs: steady runs of at least 4 minutes"),
};
const ActivityQuery = Type.Object({ ...ofActivity, with_profile: Query.boolean(OF_SESSION), ...onRequest });
const TimeframeQuery = Type.Object({
  ...ofActivity,
  with_max_speed: Query.boolean(
    "Add session_max_speed and season_max_speed, and whether another session confirms season_max_speed",
  ),
  with_profile: Query.boolean(`${OF_SESSION}; and pooled_acceleration_speed: the profile of 28 days`),
  ...onRequest,
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
    description:
      "Returns the data of its time frames that you can read, by id. Stale data are computed again first. If one of them has too many samples, the response is 400 with the code `too_many_samples` and names it.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/activities/{activity}/computed-data/",
    query: ActivityQuery,
    success: { status: 200, schema: ActivityComputedData, headers },
    failures: [400],
    async handle({ ctx, target, query, reply }) {
      const found = await retrieveActivityComputedData(ctx, target, query);
      setVersionHeader(reply, found.definitionVersions);
      return found.answer;
    },
  });

  route(app, {
    id: "retrieveTimeframeComputedData",
    tag,
    summary: "Retrieve a time frame's computed data",
    description:
      "Stale data are computed again first. `last_computation` is the time of the computation. If the device has more than 2,000,000 samples in the time frame, the response is 400 with the code `too_many_samples`.",
    deprecated: true,
    method: "GET",
    path: "/api/v1/timeframes/{timeframe}/computed-data/",
    query: TimeframeQuery,
    // These figures read the time frames of a year.
    heavyWith: ["with_max_speed", "with_profile"],
    success: { status: 200, schema: ComputedData, headers },
    failures: [400],
    async handle({ ctx, target, query, reply }) {
      const found = await retrieveComputedData(ctx, target, query);
      setVersionHeader(reply, found.definitionVersions);
      return found.answer;
    },
  });
}
