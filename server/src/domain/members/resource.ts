import { type StaticDecode, Type } from "@sinclair/typebox";
import { PARAMETER_LIMITS, PRESETS } from "asi-convert/metrics";
import { CURRENT_END, DateTime, DateTimeOut, Id, Nullable, Text } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import { withoutHeart } from "../squad-roles/heart.js";
import type { View } from "../squad-roles/view.js";
import type { Member as MemberRow } from "./rules.js";

/** Largest shirt number. */
export const MAX_NUMBER = 999;
/** Maximum number of characters of a position. */
export const MAX_POSITION = 20;

/** Highest speed of a sample that counts in any sport, m/s. */
const FASTEST = Math.max(...Object.values(PRESETS).map(({ max_valid_speed }) => max_valid_speed));

/** Limits of speeds from which samples count, m/s. No sample would reach a higher one, and the figure would always be 0. */
export const SPEED_LIMITS = { minimum: PARAMETER_LIMITS.sprint_threshold.minimum, maximum: FASTEST };

/** The limits in words. */
export const SPEED_RULE = `from ${SPEED_LIMITS.minimum} to ${FASTEST} m/s (${FASTEST * 3.6} km/h); faster samples do not count.`;

const speed = { ...SPEED_LIMITS, problem: `Must be ${SPEED_RULE}` };

/** The individual thresholds of a player. Absent thresholds default to those of the sport. */
export const Thresholds = Type.Object(
  {
    max_hr: Type.Optional(
      Type.Number({ ...PARAMETER_LIMITS.max_hr, description: "Maximum heart rate in beats/min" }),
    ),
    sprint_threshold: Type.Optional(
      Type.Number({ ...speed, description: "Speed in m/s from which a run is a sprint" }),
    ),
    hid_thresholds: Type.Optional(
      Type.Array(Type.Number(speed), {
        minItems: 2,
        maxItems: 2,
        description: "Two speeds in m/s of high-intensity distance, ascending",
      }),
    ),
  },
  { additionalProperties: false, description: "As in the params of time frames" },
);

const example = {
  squad: 2,
  athlete: 14,
  number: 7,
  position: "FW",
  params: { max_hr: 196, sprint_threshold: 7 },
  start_time: "2024-07-01T00:00:00.000Z",
  end_time: CURRENT_END.toISOString(),
};

export const Member = Type.Object(
  {
    id: Id(),
    squad: Id({ description: "Id of the squad" }),
    athlete: Id({ description: "Id of the athlete" }),
    number: Nullable(Type.Integer()),
    position: Nullable(Type.String()),
    params: Thresholds,
    start_time: DateTimeOut(),
    end_time: DateTimeOut({ description: "Excluded" }),
  },
  { $id: "Member", examples: [{ id: 41, ...example }] },
);

const changeable = {
  number: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: MAX_NUMBER, description: "Number on the shirt" })),
  ),
  position: Type.Optional(
    Nullable(
      Text({ minLength: 1, maxLength: MAX_POSITION, description: "GK, DF, MF, FW or any other text" }),
    ),
  ),
  params: Type.Optional(Thresholds),
  end_time: Type.Optional(DateTime({ description: `Excluded; default ${CURRENT_END.toISOString()}` })),
};

export const MemberInput = Type.Object(
  {
    squad: Id({ description: "Id of one of your squads" }),
    athlete: Id({ description: "Id of an athlete whom you may read" }),
    start_time: DateTime(),
    ...changeable,
  },
  { examples: [example] },
);

export const MemberPatch = Type.Object(
  {
    ...changeable,
    start_time: Type.Optional(DateTime({ description: "Only the owner of the squad can change it" })),
    end_time: Type.Optional(DateTime({ description: "Excluded; only the owner of the squad can change it" })),
    from: Type.Optional(
      DateTime({
        description:
          "Time from which the number, the position and the thresholds are valid. If any of them differs, the member ends then, and a member with these values follows until the previous end. A time at or before `start_time` has no effect. If it is absent, the values are valid for the whole membership",
      }),
    ),
  },
  { examples: [{ position: "MF" }] },
);

export type NewMember = StaticDecode<typeof MemberInput>;
export type MemberChange = StaticDecode<typeof MemberPatch>;

/** @param view what the caller can see; absent for an export */
export const toMember = (row: MemberRow, view?: Pick<View, "hasHeart">) => ({
  id: row.id,
  squad: row.squadId,
  athlete: row.athleteId,
  number: row.number,
  position: row.position,
  params: view?.hasHeart === false ? withoutHeart(row.params) : row.params,
  start_time: row.startTime.toISOString(),
  end_time: row.endTime.toISOString(),
});

export const memberItem = (row: MemberRow, view: View): Item<ReturnType<typeof toMember>> =>
  item(toMember(row, view), row.version);
