import { type TSchema, Type } from "@sinclair/typebox";
import { SQUAD_COLUMNS } from "asi-convert/squad";
import { COMPUTED_DATA_SCHEMA } from "../../wire/computed-data-schema.js";
import { TABLE_DEFINITION_SCHEMAS } from "../../wire/profile-and-estimates-schema.js";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import { isHeartKey } from "../squad-roles/heart.js";
import type { tableAsJson } from "./figures-formats.js";
import { OPTIONAL_COLUMNS } from "./optional-columns.js";

const NumberOrNull = (description?: string) =>
  Nullable(Type.Number(description === undefined ? {} : { description }));

/** Makes a heart-rate figure optional, because it is absent without a right to heart data. */
export const withoutHeartOptional = <T extends TSchema>(key: string, value: T) =>
  isHeartKey(key) ? Type.Optional(value) : value;

/** Figures by the keys of `asi squad`. */
export const Figures = Type.Object(
  Object.fromEntries(
    SQUAD_COLUMNS.map(({ key, title, unit }) => [
      key,
      withoutHeartOptional(key, NumberOrNull(unit === "" ? title : `${title}, ${unit}`)),
    ]),
  ),
  {
    description: "With all digits; null if unknown; heart-rate figures are absent without a right to them",
  },
);

const FIGURES_EXAMPLE = {
  minutes: 46,
  distance_m: 5123.4,
  rate_m_per_min: 111.378,
  high_speed_m: 312.5,
  sprints: 7,
  top_speed_km_per_h: 29.52,
  accelerations: 21,
  decelerations: 18,
  hr_mean_bpm: 158,
  hr_max_bpm: 187,
  trimp: 183.6,
  sprint_m: 96.2,
};

const { definition: DEFINITION } = COMPUTED_DATA_SCHEMA.properties;
const { parameters: PARAMETERS } = DEFINITION.properties;

/** Heart-rate parameters are absent without a right to heart data. */
const DEFINITION_OF_ROLES = {
  ...DEFINITION,
  properties: {
    ...DEFINITION.properties,
    ...TABLE_DEFINITION_SCHEMAS,
    parameters: { ...PARAMETERS, required: PARAMETERS.required.filter((key) => !isHeartKey(key)) },
  },
};

/** The figures of a row, with those that the request names. */
const RowFigures = Type.Object(
  {
    ...Figures.properties,
    ...Object.fromEntries(
      OPTIONAL_COLUMNS.map(({ key, title, unit, of }) => [
        key,
        Type.Optional(NumberOrNull(`With ${of}. ${unit === "" ? title : `${title}, ${unit}`}`)),
      ]),
    ),
  },
  { description: Figures.description ?? "" },
);

export const ShareWithHr = NumberOrNull(
  "Share of the recorded time with a heart rate, 0 to 1. Below 0.95, a training impulse and a highest heart rate are lower bounds. Absent without a right to heart data",
);

export const TooFastRows = NumberOrNull("Samples ignored as too fast");

export const MatchNote = Nullable(
  Type.String({
    description:
      "Limits of the figures of a match, in words: they are without extra time, only the lengths of two periods make them halves, or, in a season, its halves are not known; otherwise null",
  }),
);

const Row = Type.Object({
  athlete: Type.Integer(),
  player: Type.String(),
  number: Nullable(Type.String()),
  position: Nullable(Type.String()),
  period: Nullable(Type.String({ description: "null: the whole session" })),
  start: Nullable(DateTimeOut({ description: "First sample used" })),
  end: Nullable(DateTimeOut({ description: "Last sample used" })),
  figures: RowFigures,
  profile_reason: Type.Optional(
    Nullable(
      Type.String({
        description: "Only with `with_profile`: the reason why there is no profile; null if there is one",
      }),
    ),
  ),
  high_speed_from_m_per_s: NumberOrNull(),
  sprint_from_m_per_s: NumberOrNull(),
  period_minutes: Type.Number({
    description:
      "Length of the period for the player; of the whole session, the time with data of any player",
  }),
  bench_minutes: NumberOrNull("Minutes of the period on the bench, according to the periods"),
  share_with_data: NumberOrNull("0 to 1; null if the player does not take part"),
  share_with_hr: Type.Optional(ShareWithHr),
  too_fast_rows: TooFastRows,
  definition: Type.Unsafe<ReturnType<typeof tableAsJson>["rows"][number]["definition"]>(
    Nullable(Type.Unsafe(DEFINITION_OF_ROLES)),
  ),
  timeframes: Type.Array(Type.Integer(), { description: "Ids of the time frames whose samples are used" }),
  left_out_devices: Type.Array(
    Type.Object({
      serial: Type.String({ description: "Serial number" }),
      timeframes: Type.Array(Type.Integer(), { description: "Ids of its time frames" }),
    }),
    {
      description:
        "Devices that the player wore at the same time as another one with more data. Their samples are not used",
    },
  ),
  computed_at: DateTimeOut(),
});

export const SessionFigures = Type.Object(
  {
    session: Type.Integer(),
    cautions: Type.Optional(
      Type.Object(
        { metabolic: Type.Optional(Type.String()), standard_runs: Type.Optional(Type.String()) },
        { description: "Why the optional figures are unreliable or experimental, with sources" },
      ),
    ),
    match_note: MatchNote,
    rows: Type.Array(Row),
    left_out: Type.Array(
      Type.Object({
        athlete: Type.Integer(),
        player: Type.String(),
        period: Nullable(Type.String()),
        reason: Type.Union(
          [
            Type.Literal("no_device"),
            Type.Literal("no_permission"),
            Type.Literal("no_read_permission"),
            Type.Literal("not_computable"),
            Type.Literal("limit_reached"),
            Type.Literal("samples_removed"),
          ],
          {
            description:
              "no_device: the player wears no device of yours then; no_permission: the player lacks time frames, because you have no WRITE permission for all of that time; no_read_permission: the player has not given you READ permission for all of that time; not_computable: the job could not compute figures from the samples of the player, which cannot be read or are more than 2,000,000. They are computed again when the samples change, and when the table is read an hour later; limit_reached: the session or the account would have too many time frames, so some of the player are missing. Delete time frames, or remove periods or players; samples_removed: the samples are no longer stored, so the row has no figures, or those computed earlier, with the thresholds and devices of that time",
          },
        ),
      }),
      { description: "Players and periods without samples or figures, and the reasons" },
    ),
    computing: Type.Array(Type.Object({ athlete: Type.Integer(), player: Type.String() }), {
      description:
        "Players whose rows are missing or may still change, because their figures or time frames are being computed; see `wait`",
    }),
  },
  {
    $id: "SessionFigures",
    examples: [
      {
        session: 5,
        match_note: null,
        rows: [
          {
            athlete: 21,
            player: "Bea Bell",
            number: "7",
            position: "MF",
            period: "1st half",
            start: "2024-01-01T13:30:00.000Z",
            end: "2024-01-01T14:15:59.900Z",
            figures: FIGURES_EXAMPLE,
            high_speed_from_m_per_s: 5.5,
            sprint_from_m_per_s: 7,
            period_minutes: 46,
            bench_minutes: 0,
            share_with_data: 1,
            share_with_hr: 0.99,
            too_fast_rows: 0,
            definition: null,
            timeframes: [9],
            left_out_devices: [],
            computed_at: "2024-01-01T16:00:00.000Z",
          },
        ],
        left_out: [{ athlete: 22, player: "Cem Cole", period: null, reason: "no_device" as const }],
        computing: [],
      },
    ],
  },
);

export const FiguresQuery = Type.Object({
  with_profile: Query.boolean(
    "Add the maximum speed held for 0.5 s, and A0 and S0 of the acceleration-speed profile of each row, or the reason why there is none",
  ),
  with_metabolic_power: Query.boolean(
    "Add energy, mean power and distance at high power. These are estimated from speed, with large errors; see `cautions`",
  ),
  with_standard_runs: Query.boolean("Experimental. Add the number of steady runs of at least 4 minutes"),
  tz: Query.text("Time zone of the times in a CSV, such as Europe/Zurich; default UTC"),
  wait: Type.Optional(
    Type.Transform(
      Type.String({
        pattern: "^(?:[0-9]|[1-5][0-9]|60)$",
        description:
          "Seconds to wait for figures that are being computed. After that, JSON is returned without these figures; `computing` names the players, and a job computes their figures. By default, and for files, the request waits for all figures. It does not wait for changes to players, devices and rights that a job has not applied to the time frames yet; `computing` names these players too",
        problem: "A whole number from 0 to 60 is required.",
        openapi: { type: "integer", minimum: 0, maximum: 60 },
      }),
    )
      .Decode(Number)
      .Encode(String),
  ),
});
