import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import {
  daysSinceLast,
  lengthOf,
  normalBefore,
  type PlayedSession,
  SQUAD_COLUMNS,
  seasonOf,
  seasonSummary,
  united,
} from "asi-convert/squad";
import { and, desc, eq, gt, inArray, lt } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessionFigures, sessions } from "../../store/schema.js";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { JsonBytes } from "../lists/json-bytes.js";
import { grantsOf } from "../permissions/coverage.js";
import { isHeartKey, withoutHeart } from "../squad-roles/heart.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { isVisibleSession } from "../squad-roles/view.js";
import { Figures, withoutHeartOptional } from "./figures-resource.js";
import { idAsName } from "./period-rows.js";
import { playersOf, type SessionPlayer } from "./players.js";
import { Kind } from "./resource.js";
import { type Session, selectSessions, toSession } from "./rules.js";
import { batchesOf, partsOf, type Stored, storedOf } from "./season-stored.js";

/** Maximum number of sessions in one response. */
export const MAX_SESSIONS = 400;

/** Each player may have an entry in each session. */
const PLAYERS_AT_A_TIME = 3;

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
    left_out: Type.Integer({ minimum: 0, description: "Number of omitted older sessions" }),
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

/** The figures of the players of a squad in its sessions, from stored figures only. */
export async function squadSeason(
  ctx: Context,
  { id: squadId, ownerId, view }: SeenSquad,
  { from, to }: StaticDecode<typeof SeasonQuery>,
): Promise<JsonBytes<Static<typeof Season>>> {
  const { queries } = ctx;
  const { athleteId: only, hasHeart } = view;
  const inTime = and(
    eq(sessions.squadId, squadId),
    only === null ? undefined : isVisibleSession(ctx, sessions.activityId),
    from && gt(sessions.endTime, from),
    to && lt(sessions.startTime, to),
  );
  const found = await selectSessions(queries)
    .where(inTime)
    .orderBy(desc(sessions.startTime), desc(sessions.activityId))
    .limit(MAX_SESSIONS);
  const batches = await batchesOf(queries, found.map(toSession));
  const all = batches.flat();
  const about = await aboutPlayers(queries, squadId, all);
  const played: PlayedSession[] = [];
  const missing = new Map<number, number[]>();
  for (const batch of batches) {
    ctx.signal?.throwIfAborted();
    const parts = (await partsOf(queries, batch)).filter(
      ({ athleteId }) => only === null || athleteId === only,
    );
    const athletes = parts.map(({ athleteId }) => athleteId);
    const grants = await grantsOf(queries, ownerId, "READ", athletes);
    const readable = parts.filter(
      ({ athleteId, start, end }) => start !== null && end !== null && grants.cover(athleteId, start, end),
    );
    const stored = await storedOf(queries, readable);
    for (const { sessionId, athleteId } of stored.missing)
      missing.set(sessionId, [...(missing.get(sessionId) ?? []), athleteId]);
    played.push(...batch.map((session) => playedOf(session, stored.valid.get(session.id) ?? [], about)));
    await nextEventLoopTurn();
  }
  const head = {
    squad: squadId,
    left_out: (await queries.$count(sessions, inTime)) - all.length,
    sessions: all.map(({ id, name, kind, startTime, endTime }) => ({
      id,
      name,
      kind,
      start_time: startTime.toISOString(),
      end_time: endTime.toISOString(),
      not_computed: missing.get(id) ?? [],
    })),
  };
  const pieces = [`${JSON.stringify(head).slice(0, -1)},"players":[`];
  let separator = "";
  for await (const players of seasonPlayers(played, all, about, hasHeart)) {
    ctx.signal?.throwIfAborted();
    if (players.length > 0) pieces.push(separator + JSON.stringify(players).slice(1, -1));
    if (players.length > 0) separator = ",";
  }
  pieces.push("]}");
  return new JsonBytes(Buffer.from(pieces.join("")));
}

type About = ReadonlyMap<number, SessionPlayer>;

/** The players with stored figures in the sessions. */
async function aboutPlayers(queries: Queries, squadId: number, all: readonly Session[]): Promise<About> {
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const rows = await queries
    .selectDistinct({ id: sessionFigures.athleteId })
    .from(sessionFigures)
    .where(
      inArray(
        sessionFigures.sessionId,
        all.map(({ id }) => id),
      ),
    );
  const time = { squadId, startTime: first.startTime, endTime: last.endTime };
  const players = await playersOf(
    queries,
    time,
    rows.map(({ id }) => id),
  );
  return new Map(players.map((player) => [player.athleteId, player]));
}

/** The players with their sessions, in batches. */
async function* seasonPlayers(
  played: readonly PlayedSession[],
  all: readonly Session[],
  about: About,
  hasHeart: boolean,
) {
  const columns = SQUAD_COLUMNS.filter(({ key }) => hasHeart || !isHeartKey(key));
  const byKey = <T>(value: (column: (typeof SQUAD_COLUMNS)[number]) => T): Record<string, T> =>
    Object.fromEntries(columns.map((column) => [column.key, value(column)]));
  const lastPlace = all.length - 1;
  const ordered = namesInOrder(played);
  for (let at = 0; at < ordered.length; at += PLAYERS_AT_A_TIME) {
    await nextEventLoopTurn();
    const names = new Set(ordered.slice(at, at + PLAYERS_AT_A_TIME));
    const season = seasonOf(
      played.map((session) => ({
        ...session,
        rows: session.rows.filter((row) => names.has(row.player.name)),
      })),
    );
    const ids = new Map(season.sessions.map((session, place) => [session, all[place]?.id ?? 0]));
    yield season.players.map((player) => {
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
    });
  }
}

/** The players in the order of a season. */
function namesInOrder(played: readonly PlayedSession[]): string[] {
  const rows = new Map(
    played.flatMap((session) => session.rows.map((row) => [row.player.name, row] as const)),
  );
  const together = { name: "", startMs: 0, endMs: 0, isMatch: false, rows: [...rows.values()] };
  return seasonOf([together]).players.map(({ name }) => name);
}

function playedOf(
  { name, startTime, endTime, kind }: Session,
  stored: readonly Stored[],
  about: About,
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
