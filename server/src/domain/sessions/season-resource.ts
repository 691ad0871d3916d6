import { Type } from "@sinclair/typebox";
import { SQUAD_COLUMNS } from "asi-convert/squad";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import { Figures, MatchNote, ShareWithHr, TooFastRows, withoutHeartOptional } from "./figures-resource.js";
import { Kind, Sport } from "./resource.js";

export const SeasonQuery = Type.Object({
  from: Query.dateTime("Only sessions that end later"),
  to: Query.dateTime("Only sessions that start earlier"),
});

const Normal = Type.Object({ mean: Type.Number(), low: Type.Number(), high: Type.Number() });

/** Returns the schema of an object with a value for each figure. */
const byFigure = <T extends ReturnType<typeof Nullable>>(value: T, description: string) =>
  Type.Object(Object.fromEntries(SQUAD_COLUMNS.map(({ key }) => [key, withoutHeartOptional(key, value)])), {
    description,
  });

export const Season = Type.Object(
  {
    squad: Type.Integer(),
    left_out: Type.Integer({ minimum: 0, description: "Number of omitted older sessions" }),
    sessions: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        kind: Kind,
        sport: Sport,
        start_time: DateTimeOut(),
        end_time: DateTimeOut(),
        match_note: MatchNote,
        not_computed: Type.Array(Type.Integer(), {
          description:
            "Ids of athletes whose figures are not computed, stale, or incomplete because of a limit. The table of the session computes them, or names them with `limit_reached`",
        }),
        computing: Type.Boolean({
          description: "As in the details of the session: its figures may still change",
        }),
      }),
      { description: "In chronological order" },
    ),
    players: Type.Array(
      Type.Object({
        athlete: Type.Integer(),
        player: Type.String(),
        number: Nullable(Type.String()),
        position: Nullable(Type.String()),
        days_since_last: Nullable(
          Type.Integer({
            description: "From the last session of the player to the last session of the squad",
          }),
        ),
        normal: byFigure(
          Nullable(Normal),
          "Mean and normal range of the last five matches before the last session; null with fewer than three, and if the last session has less than 10 minutes of data or is a match whose halves are not known. Only entries of the sport of the last session that cover halves count, with at least 10 minutes, with the limit of the last session, from at least 95 % of the data; for sums, only those with at most 10 % less or more playing time than the last session, or, if that is no match, with at least 90 % of the match",
        ),
        best: byFigure(
          Nullable(Type.Number()),
          "Highest value of each figure with the sport and the limit of the last session; of rates and means, only from sessions with at least 10 minutes of data",
        ),
        notes: Type.Array(Type.String(), {
          description:
            "In words: which sessions have another sport, how many have other limits, and which figures of them do not count; how many samples are in no figure, because they are too fast",
        }),
        limits: Type.Array(
          Type.Object({
            high_speed_from_m_per_s: Nullable(Type.Number()),
            sprint_from_m_per_s: Nullable(Type.Number()),
            max_hr: Type.Optional(
              Nullable(
                Type.Number({
                  description:
                    "Maximum heart rate for the training impulse; null: estimated from the age, or unknown. Absent without a right to heart data",
                }),
              ),
            ),
          }),
          {
            description:
              "The different limits of the entries. High-speed distance, sprints, sprint distance and training impulse are comparable only with the same limit",
          },
        ),
        entries: Type.Array(
          Type.Object({
            session: Type.Integer(),
            covers: Type.Union([Type.Literal("halves"), Type.Literal("session")], {
              description:
                "What the figures are from: the two halves of a match, or the whole session. Only figures of halves count as those of a match",
            }),
            figures: Figures,
            share_with_data: Nullable(
              Type.Number({
                description:
                  "Share with data of this player: of the two halves of a match, otherwise of the whole session. null if the player does not take part in the halves, or if the figures of other players of the session are missing",
              }),
            ),
            share_with_hr: Type.Optional(ShareWithHr),
            share_played: Type.Number({
              description:
                "Time of the player in the halves of a match, divided by the longest time of any player whose figures are stored; 1 for the whole session",
            }),
            too_fast_rows: TooFastRows,
            too_fast_s: Nullable(
              Type.Number({ description: "Seconds of recorded time that begin or end with one of them" }),
            ),
            limits: Nullable(Type.Integer({ description: "Index in `limits`; null without data" })),
            days_since: Nullable(Type.Integer({ description: "Since the previous session of the player" })),
          }),
          {
            description:
              "The stored figures of the two halves of a match, or of the whole session for other sessions",
          },
        ),
      }),
    ),
  },
  { $id: "Season" },
);
