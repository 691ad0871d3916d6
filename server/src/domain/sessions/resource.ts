import { type StaticDecode, Type } from "@sinclair/typebox";
import { SPORTS } from "asi-convert/metrics";
import { DateTime, DateTimeOut, Id, Nullable, Text } from "../../wire/types.js";
import { type Item, item } from "../change/entity-tags.js";
import type { PeriodRow } from "../change/events.js";
import type { View } from "../squad-roles/view.js";
import type { SeenSession as SessionRow } from "./rules.js";

/** Maximum length of a session, in hours. */
export const MAX_HOURS = 24;
/** Maximum number of characters of the notes. */
const MAX_NOTES = 2_000;
/** Maximum number of rows of the periods of a session. */
export const MAX_PERIOD_ROWS = 200;

export const Kind = Type.Union([Type.Literal("match"), Type.Literal("training"), Type.Literal("other")]);
export const Sport = Type.Union(SPORTS.map((sport) => Type.Literal(sport)));

const example = {
  name: "Sunday league, round 3",
  squad: 2,
  kind: "match" as const,
  sport: "soccer" as const,
  place: "Home",
  notes: null,
  start_time: "2024-01-01T13:30:00.000Z",
  end_time: "2024-01-01T15:30:00.000Z",
};

export const Session = Type.Object(
  {
    id: Type.Integer({ description: "Also the id of the activity" }),
    name: Type.String(),
    squad: Type.Integer(),
    kind: Kind,
    sport: Sport,
    place: Nullable(Type.String()),
    notes: Nullable(Type.String()),
    start_time: DateTimeOut(),
    end_time: DateTimeOut({ description: "Not included" }),
    computing: Type.Optional(
      Type.Boolean({
        description:
          "Whether time frames or figures are being computed after a change. Until then, they may not reflect the change. Absent in lists",
      }),
    ),
    limit_reached: Type.Optional(
      Type.Boolean({
        description:
          "Whether a limit prevents some of the time frames, so figures are missing; the table of the session names the players. Absent in lists",
      }),
    ),
  },
  { $id: "SquadSession", examples: [{ id: 5, ...example, computing: false, limit_reached: false }] },
);

export const SessionInput = Type.Object(
  {
    name: Text({ minLength: 1 }),
    squad: Id({ description: "Id of one of your squads" }),
    kind: Kind,
    sport: Sport,
    place: Type.Optional(Nullable(Text())),
    notes: Type.Optional(
      Nullable(
        Type.String({
          maxLength: MAX_NOTES,
          format: "lines",
          problem: "Control characters other than line breaks and tabs are not allowed.",
        }),
      ),
    ),
    start_time: DateTime(),
    end_time: DateTime({ description: `After start_time, and at most ${MAX_HOURS} hours after it` }),
  },
  { examples: [example] },
);

export const SessionPatch = Type.Partial(Type.Omit(SessionInput, ["squad"]), {
  examples: [{ place: "Away" }],
});

export type NewSession = StaticDecode<typeof SessionInput>;
export type SessionChanges = StaticDecode<typeof SessionPatch>;

export const toSessionResource = (row: SessionRow) => ({
  id: row.id,
  name: row.name,
  squad: row.squadId,
  kind: row.kind,
  sport: row.sport,
  place: row.place,
  // Notes may mention other athletes.
  notes: row.view.athleteId === null ? row.notes : null,
  start_time: row.startTime.toISOString(),
  end_time: row.endTime.toISOString(),
});

/** What jobs determine in the details of a session. */
export interface SessionState {
  computing: boolean;
  limit_reached: boolean;
}

export const sessionItem = (
  row: SessionRow,
  state: SessionState,
): Item<ReturnType<typeof toSessionResource> & SessionState> =>
  item({ ...toSessionResource(row), ...state }, row.version, row.activityVersion);

const periodExamples = [
  {
    name: "1st half",
    start_time: "2024-01-01T13:30:00.000Z",
    end_time: "2024-01-01T14:16:00.000Z",
    athlete: null,
  },
  {
    name: "2nd half",
    start_time: "2024-01-01T14:31:00.000Z",
    end_time: "2024-01-01T15:17:00.000Z",
    athlete: null,
  },
];

const periodMembers = <T>(time: (options: { description: string }) => T) => ({
  start_time: time({ description: "null for an athlete who does not take part" }),
  end_time: time({ description: "Exclusive; null for an athlete who does not take part" }),
});

export const SessionPeriods = Type.Array(
  Type.Object({
    name: Type.String(),
    ...periodMembers((options) => Nullable(DateTimeOut(options))),
    athlete: Nullable(
      Type.Integer({ description: "null: the interval of all players without their own rows" }),
    ),
  }),
  { $id: "SessionPeriods", examples: [periodExamples] },
);

export const SessionPeriodsInput = Type.Array(
  Type.Object({
    name: Text({ minLength: 1 }),
    ...periodMembers((options) => Nullable(DateTime(options))),
    athlete: Type.Optional(
      Nullable(
        Id({
          description: "An athlete of the squad; null: the interval of all players without their own rows",
        }),
      ),
    ),
  }),
  { maxItems: MAX_PERIOD_ROWS, examples: [periodExamples] },
);

export type NewPeriods = StaticDecode<typeof SessionPeriodsInput>;

export const toPeriods = (rows: readonly PeriodRow[]) =>
  rows.map(({ name, athleteId, startTime, endTime }) => ({
    name,
    start_time: startTime?.toISOString() ?? null,
    end_time: endTime?.toISOString() ?? null,
    athlete: athleteId,
  }));

export const periodsItem = (rows: readonly PeriodRow[], session: SessionRow) =>
  item(toPeriods(visibleRows(rows, session.view)), session.version);

/** Returns the rows of periods that concern the caller. */
export const visibleRows = (rows: readonly PeriodRow[], { athleteId: only }: View): PeriodRow[] =>
  rows.filter(({ athleteId }) => only === null || athleteId === null || athleteId === only);
