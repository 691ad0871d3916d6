import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import {
  daysSinceLast,
  lengthOf,
  normalBefore,
  type PlayedSession,
  type SeasonRow,
  SQUAD_COLUMNS,
  seasonOf,
  seasonSummary,
  united,
} from "asi-convert/squad";
import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import {
  activities,
  recomputations,
  sessionFigures,
  sessions,
  sessionTimeframes,
  timeframes,
} from "../../store/schema.js";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import type { Context } from "../change/context.js";
import { pendingChanges } from "../computed-data/compute.js";
import { hasLostSamples } from "../computed-data/removed-samples.js";
import { grantsOf } from "../permissions/coverage.js";
import { isHeartKey, withoutHeart } from "../squad-roles/heart.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { isVisibleSession } from "../squad-roles/view.js";
import { FIGURES_VERSION, isOfSameFrames, readFigures } from "./figures-inputs.js";
import { Figures, withoutHeartOptional } from "./figures-resource.js";
import { idAsName } from "./period-rows.js";
import { playersOf } from "./players.js";
import { Kind } from "./resource.js";
import { type Session, selectSessions, toSession } from "./rules.js";
import { WHOLE } from "./wanted-timeframes.js";

/** Sessions of one response. */
export const MAX_SESSIONS = 400;

export const SeasonQuery = Type.Object({
  from: Query.dateTime("Only sessions that end later"),
  to: Query.dateTime("Only sessions that start earlier"),
});

const Normal = Type.Object({ mean: Type.Number(), low: Type.Number(), high: Type.Number() });

/** An object with a value for each figure. */
const byFigure = <T extends ReturnType<typeof Nullable>>(value: T, description: string) =>
  Type.Object(Object.fromEntries(SQUAD_COLUMNS.map(({ key }) => [key, withoutHeartOptional(key, value)])), {
    description,
  });

export const Season = Type.Object(
  {
    squad: Type.Integer(),
    sessions: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        kind: Kind,
        start_time: DateTimeOut(),
        end_time: DateTimeOut(),
        not_computed: Type.Array(Type.Integer(), {
          description:
            "Ids of athletes whose figures are not computed or stale; the table of the session computes them",
        }),
      }),
      { description: "In the order of time" },
    ),
    players: Type.Array(
      Type.Object({
        athlete: Type.Integer(),
        player: Type.String(),
        number: Nullable(Type.String()),
        position: Nullable(Type.String()),
        days_since_last: Nullable(
          Type.Integer({ description: "From the last session of the player to the last of the squad" }),
        ),
        normal: byFigure(
          Nullable(Normal),
          "Mean and normal range of the last five matches before the last session; null with fewer than three",
        ),
        best: byFigure(Nullable(Type.Number()), "Highest value of each figure"),
        entries: Type.Array(
          Type.Object({
            session: Type.Integer(),
            figures: Figures,
            share_with_data: Nullable(Type.Number()),
            days_since: Nullable(Type.Integer({ description: "Since the previous session of the player" })),
          }),
          { description: "The stored figures of whole sessions" },
        ),
      }),
    ),
  },
  { $id: "Season" },
);

/** What a player has in a session: the time frames of the whole session, and the versions of all. */
interface Part {
  sessionId: number;
  athleteId: number;
  states: string;
  start: Date | null;
  end: Date | null;
}

/** The figures of the players of a squad in its sessions, from stored figures only. */
export async function squadSeason(
  ctx: Context,
  { id: squadId, ownerId, view }: SeenSquad,
  { from, to }: StaticDecode<typeof SeasonQuery>,
): Promise<Static<typeof Season>> {
  const { queries } = ctx;
  const { athleteId: only, hasHeart } = view;
  const found = await selectSessions(queries)
    .where(
      and(
        eq(sessions.squadId, squadId),
        only === null ? undefined : isVisibleSession(ctx, activities.id),
        from && gt(sessions.endTime, from),
        to && lt(sessions.startTime, to),
      ),
    )
    .orderBy(desc(sessions.startTime), desc(sessions.activityId))
    .limit(MAX_SESSIONS);
  const all = found.map(toSession).reverse();
  const parts = (await partsOf(queries, all)).filter(({ athleteId }) => only === null || athleteId === only);
  const grants = await grantsOf(
    queries,
    ownerId,
    "READ",
    parts.map(({ athleteId }) => athleteId),
  );
  const readable = parts.filter(
    ({ athleteId, start, end }) => start !== null && end !== null && grants.cover(athleteId, start, end),
  );
  const { valid, missing } = await storedOf(queries, readable);
  const [first, last] = [all[0], all.at(-1)];
  const players =
    first === undefined || last === undefined
      ? []
      : await playersOf(queries, { squadId, startTime: first.startTime, endTime: last.endTime });
  const about = new Map(players.map((player) => [player.athleteId, player]));
  const season = seasonOf(all.map((session) => playedOf(session, valid.get(session.id) ?? [], about)));
  const ids = new Map(season.sessions.map((session, place) => [session, all[place]?.id ?? 0]));
  const lastPlace = season.sessions.length - 1;
  const columns = SQUAD_COLUMNS.filter(({ key }) => hasHeart || !isHeartKey(key));
  const byKey = <T>(value: (column: (typeof SQUAD_COLUMNS)[number]) => T): Record<string, T> =>
    Object.fromEntries(columns.map((column) => [column.key, value(column)]));
  return {
    squad: squadId,
    sessions: all.map(({ id, name, kind, startTime, endTime }) => ({
      id,
      name,
      kind,
      start_time: startTime.toISOString(),
      end_time: endTime.toISOString(),
      not_computed: missing.filter(({ sessionId }) => sessionId === id).map(({ athleteId }) => athleteId),
    })),
    players: season.players.map((player) => {
      const athlete = Number(player.name);
      return {
        athlete,
        player: about.get(athlete)?.name ?? "",
        number: player.number,
        position: player.position,
        days_since_last: daysSinceLast(player),
        normal: byKey((column) => normalBefore(player, lastPlace, column)),
        best: byKey((column) => seasonSummary(player.entries, column).best),
        entries: player.entries.flatMap(({ session, row, daysSince }) =>
          row === null
            ? []
            : [
                {
                  session: ids.get(session) ?? 0,
                  figures: hasHeart ? { ...row.figures } : withoutHeart(row.figures),
                  share_with_data: row.coverage,
                  days_since: daysSince,
                },
              ],
        ),
      };
    }),
  };
}

/** The time frames of the sessions, by player. */
async function partsOf(queries: Queries, all: readonly Session[]): Promise<Part[]> {
  if (all.length === 0) return [];
  // Rarely any; looking for those of each time frame would take most of the time.
  const isPending = (await queries.$count(recomputations)) > 0;
  const pending = isPending ? sql`coalesce('.' || ${pendingChanges}, '')` : sql`''`;
  const isWhole = sql`${sessionTimeframes.period} = ${WHOLE}`;
  return queries
    .select({
      sessionId: sessionTimeframes.sessionId,
      athleteId: timeframes.athleteId,
      states: sql<string>`string_agg(${timeframes.id} || '.' || ${timeframes.version} || '.' || ${timeframes.dataVersion}
        || ${pending}, ' ' ORDER BY ${timeframes.id})`,
      start: sql<Date | null>`min(${timeframes.startTime}) FILTER (WHERE ${isWhole})`.mapWith(
        timeframes.startTime,
      ),
      end: sql<Date | null>`max(${timeframes.endTime}) FILTER (WHERE ${isWhole})`.mapWith(timeframes.endTime),
    })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(
      inArray(
        sessionTimeframes.sessionId,
        all.map(({ id }) => id),
      ),
    )
    .groupBy(sessionTimeframes.sessionId, timeframes.athleteId);
}

interface Stored {
  athleteId: number;
  figures: PlayerFigures;
}

/** The stored figures of whole sessions by session, and the players without valid ones. */
async function storedOf(queries: Queries, parts: readonly Part[]) {
  const valid = new Map<number, Stored[]>();
  const missing: Part[] = [];
  if (parts.length === 0) return { valid, missing };
  const rows = await queries
    .select({
      sessionId: sessionFigures.sessionId,
      athleteId: sessionFigures.athleteId,
      inputs: sessionFigures.inputs,
      figures: sessionFigures.figures,
    })
    .from(sessionFigures)
    .where(
      and(
        inArray(sessionFigures.sessionId, [...new Set(parts.map(({ sessionId }) => sessionId))]),
        eq(sessionFigures.period, WHOLE),
      ),
    );
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  const stale = parts.filter((part) => {
    const row = known.get(keyOf(part));
    return row !== undefined && inputsIn(row.inputs) !== currentOf(part);
  });
  const kept = await withLostSamples(
    queries,
    stale.filter((part) => isOfSameFrames(known.get(keyOf(part))?.inputs ?? "", currentOf(part))),
  );
  const isStale = new Set(stale.map(keyOf).filter((key) => !kept.has(key)));
  for (const part of parts) {
    const { sessionId, athleteId } = part;
    const row = known.get(keyOf(part));
    if (row === undefined || isStale.has(keyOf(part))) {
      missing.push(part);
      continue;
    }
    const stored = { athleteId, figures: readFigures(row.figures) };
    valid.set(sessionId, [...(valid.get(sessionId) ?? []), stored]);
  }
  return { valid, missing };
}

const keyOf = ({ sessionId, athleteId }: Pick<Part, "sessionId" | "athleteId">) =>
  `${sessionId} ${athleteId}`;

/** Without the hash of the periods, because the whole session has the same figures with others. */
const inputsIn = (inputs: string): string => inputs.split(":").slice(0, 2).join(":");

const currentOf = ({ states }: Part): string => `${FIGURES_VERSION}:${states}`;

/** Those whose samples retention has removed: their stored figures stay. */
async function withLostSamples(queries: Queries, parts: readonly Part[]): Promise<Set<string>> {
  if (parts.length === 0) return new Set();
  const rows = await queries
    .selectDistinct({ sessionId: sessionTimeframes.sessionId, athleteId: timeframes.athleteId })
    .from(sessionTimeframes)
    .innerJoin(timeframes, eq(timeframes.id, sessionTimeframes.timeframeId))
    .where(
      and(
        inArray(sessionTimeframes.sessionId, [...new Set(parts.map(({ sessionId }) => sessionId))]),
        hasLostSamples,
      ),
    );
  const lost = new Set(rows.map(keyOf));
  return new Set(parts.map(keyOf).filter((key) => lost.has(key)));
}

function playedOf(
  { name, startTime, endTime, kind }: Session,
  stored: readonly Stored[],
  about: ReadonlyMap<number, SeasonRow["player"]>,
): PlayedSession {
  const seconds = stored.flatMap(({ figures }) =>
    figures.seconds.map(([startMs, endMs]) => ({ startMs, endMs })),
  );
  const playedMs = 1000 * lengthOf(united(seconds));
  return {
    name,
    startMs: startTime.getTime(),
    endMs: endTime.getTime(),
    isMatch: kind === "match",
    rows: stored
      // A player without data has no recording.
      .filter(({ figures }) => figures.recordedMs !== null)
      .map(({ athleteId, figures }) => ({
        player: {
          name: idAsName(athleteId),
          number: about.get(athleteId)?.number ?? null,
          position: about.get(athleteId)?.position ?? null,
        },
        figures: figures.figures,
        coverage: playedMs === 0 ? null : Math.min(1, (figures.recordedMs ?? 0) / playedMs),
      })),
  };
}
