import { type StaticDecode, Type } from "@sinclair/typebox";
import { DateTime, DateTimeOut, Id, Nullable } from "../../wire/types.js";
import { Athlete, AthleteProfile } from "../accounts/resource.js";
import { Activity, JSON_BOUNDS, JsonObject } from "../activities/resource.js";
import { Device } from "../devices/resource.js";
import { MAX_LENGTH_DAYS } from "../sample-ownership/wearers.js";
import type { Timeframe as TimeframeRow } from "./rules.js";

const example = {
  id: 8,
  start_time: "2024-01-01T06:00:00.000Z",
  end_time: "2024-01-01T07:45:00.000Z",
  params: { max_hr: 191 },
  device: 7,
  activity: 5,
  athlete: 21,
  owner: 12,
  json_schema: 9,
};

const { id: _, ...exampleInput } = example;

const PARAMS = "Parameters of the computation, valid against json_schema; see that schema for their defaults";

const AthleteDetails = Type.Composite([
  Type.Omit(Athlete, ["athlete_profile"]),
  Type.Object({ athlete_profile: Type.Omit(AthleteProfile, ["profile_picture"]) }),
]);

export const Timeframe = Type.Object(
  {
    id: Type.Integer(),
    start_time: DateTimeOut({ description: "First instant for which data are computed" }),
    end_time: DateTimeOut({ description: "Last instant for which data are computed" }),
    params: JsonObject(PARAMS),
    device: Type.Integer(),
    activity: Type.Integer(),
    athlete: Type.Integer({ description: "Id of the athlete wearing the device" }),
    owner: Type.Integer({ description: "Id of the owning manager" }),
    json_schema: Type.Integer({ description: "Id of the JSON schema that describes params" }),
    device_details: Type.Optional(Device),
    activity_details: Type.Optional(Activity),
    athlete_details: Type.Optional(Nullable(AthleteDetails)),
  },
  { $id: "Timeframe", examples: [example] },
);

export const toTimeframe = (timeframe: TimeframeRow) => ({
  id: timeframe.id,
  start_time: timeframe.startTime.toISOString(),
  end_time: timeframe.endTime.toISOString(),
  params: timeframe.params,
  device: timeframe.deviceId,
  activity: timeframe.activityId,
  athlete: timeframe.athleteId,
  owner: timeframe.ownerId,
  json_schema: timeframe.jsonSchemaId,
});

export const TimeframeInput = Type.Object(
  {
    start_time: DateTime(),
    end_time: DateTime({ description: `After start_time, and at most ${MAX_LENGTH_DAYS} days after it` }),
    params: JsonObject(`${PARAMS}; ${JSON_BOUNDS}`),
    device: Id({ description: "Id of a device that you own or have owned" }),
    activity: Id({ description: "Id of one of your activities" }),
    athlete: Id({ description: "Id of an athlete for whom you have WRITE permission from start to end" }),
    owner: Id({ description: "Your own id" }),
    json_schema: Id({
      description: "Id of a JSON schema of type TIMEFRAME whose parent is the activity's json_schema",
    }),
  },
  { examples: [exampleInput] },
);

export const TimeframePatch = Type.Partial(TimeframeInput, { examples: [{ params: { max_hr: 188 } }] });

export type NewTimeframe = StaticDecode<typeof TimeframeInput>;
