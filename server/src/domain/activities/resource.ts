import { type StaticDecode, Type } from "@sinclair/typebox";
import { DateTimeOut, Id, Nullable, Text } from "../../wire/types.js";
import { type Item, type Tagged, tagged } from "../change/entity-tags.js";
import { JSON_MAX_BYTES, JSON_MAX_MEMBERS } from "../lists/json-bounds.js";
import type { ActivityHead, Activity as ActivityRow } from "./rules.js";

/** Limits on JSON objects in requests, for descriptions. */
export const JSON_BOUNDS = `at most ${JSON_MAX_BYTES / 1024} KiB and ${JSON_MAX_MEMBERS} members`;

/** Returns the schema of an object whose members a JSON schema of the service describes. */
export const JsonObject = (description: string) =>
  Type.Object({}, { additionalProperties: Type.Unknown(), description });

const example = {
  id: 5,
  name: "Sunday league, round 3",
  json: { sport: "soccer" },
  json_schema: 3,
  owner: 12,
};

const { id: _, ...exampleInput } = example;

/** Fields of an activity in lists. */
export const ActivitySummary = Type.Object(
  {
    start_time: Nullable(
      DateTimeOut({ description: "Start of the first time frame; null if there is none" }),
    ),
    end_time: Nullable(DateTimeOut({ description: "End of the last time frame; null if there is none" })),
    timeframes: Type.Integer({ description: "Number of time frames" }),
    webhooks: Type.Integer({ description: "Number of webhooks" }),
  },
  { description: "In lists with with_summary=true" },
);

export const Activity = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ description: "Descriptive title" }),
    json: JsonObject("Parameters of the sport, valid against json_schema"),
    json_schema: Type.Integer({ description: "Id of the JSON schema that describes json" }),
    owner: Type.Integer({ description: "Id of the owning manager" }),
    summary: Type.Optional(ActivitySummary),
  },
  { $id: "Activity", examples: [example] },
);

export const toActivity = ({ id, name, json, jsonSchemaId, ownerId }: ActivityRow) => ({
  id,
  name,
  json,
  json_schema: jsonSchemaId,
  owner: ownerId,
});

/** Returns the entity tag without reading `json`, because every change to `json` increments the version. */
export const activityTag = ({ id, name, jsonSchemaId, ownerId, version }: ActivityHead): Tagged =>
  tagged({ id, name, json_schema: jsonSchemaId, owner: ownerId }, version);

export const activityItem = (activity: ActivityRow): Item<ReturnType<typeof toActivity>> => ({
  resource: toActivity(activity),
  ...activityTag(activity),
});

export const ActivityInput = Type.Object(
  {
    name: Text({ minLength: 1, description: "Descriptive title" }),
    json: JsonObject(`Parameters of the sport, valid against json_schema; ${JSON_BOUNDS} without gpx`),
    json_schema: Id({ description: "Id of a JSON schema of type ACTIVITY" }),
    owner: Id({ description: "Your own id" }),
  },
  { examples: [exampleInput] },
);

export const ActivityPatch = Type.Partial(ActivityInput, { examples: [{ name: example.name }] });

export type NewActivity = StaticDecode<typeof ActivityInput>;
