import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { SQUAD_COLUMNS } from "asi-convert/squad";
import { and, desc, eq } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessions } from "../../store/schema.js";
import { DateTimeOut, Nullable, Query } from "../../wire/types.js";
import type { Context } from "../change/context.js";
import { type Item, tagged } from "../change/entity-tags.js";
import { groupBy } from "../change/group-by.js";
import { JsonBytes } from "../lists/json-bytes.js";
import { isValidBetween } from "../lists/times.js";
import { grantsOf } from "../permissions/coverage.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { isVisibleSession } from "../squad-roles/view.js";
import { FIGURES_VERSION } from "./figures-inputs.js";
import { Figures, MatchNote, ShareWithHr, withoutHeartOptional } from "./figures-resource.js";
import { matchNotesOf } from "./match-notes.js";
import { playersOf } from "./players.js";
import { countsInLength, isReadableRow } from "./readable-rows.js";
import { incompletePlayers } from "./refused-derivations.js";
import { Kind } from "./resource.js";
import { type Session, selectSessions, toSession } from "./rules.js";
import { type Part, partsOf, type ReadPart } from "./season-parts.js";
import { type About, type StoredSession, seasonPlayers } from "./season-players.js";
import { batchesOf, storedOf } from "./season-stored.js";
import { computingSessions } from "./waiting-work.js";

/** Maximum number of sessions in one response. */
export const MAX_SESSIONS = 400;

/** Maximum number of restarts because figures have changed between the statements. */
const MAX_TRIES = 3;

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
          "Mean and normal range of the last five matches before the last session; null with fewer than three. Only entries that cover halves count, without figures that missing data may have lowered",
        ),
        best: byFigure(Nullable(Type.Number()), "Highest value of each figure"),
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

type SeasonItem = Item<JsonBytes<Static<typeof Season>>>;

/** Increased when the response to the same stored figures changes. */
const SEASON_VERSION = 6;

const NO_PLAYERS = { stored: [], playedMs: 0 };

const NOTHING = new JsonBytes<Static<typeof Season>>(new Uint8Array());

/**
 * Returns the figures of the players of a squad in its sessions, from stored figures only.
 * @param isKnown whether the client has the season with this entity tag. Its resource is then empty, because it is not sent.
 */
export async function squadSeason(
  ctx: Context,
  squad: SeenSquad,
  query: StaticDecode<typeof SeasonQuery>,
  isKnown: (etag: string) => boolean = () => false,
  tries = 1,
): Promise<SeasonItem> {
  const { queries } = ctx;
  const { left_out, batches } = await sessionsIn(ctx, squad, query);
  const all = batches.flat();
  // Read this before the time frames and figures, which a job may change meanwhile.
  const computing = await computingSessions(queries, squad, all);
  const readable = await readableParts(ctx, squad, batches);
  const incomplete = await incompletePlayers(
    queries,
    all.map(({ id }) => id),
  );
  const isComplete = ({ sessionId, athleteId }: Part) => incomplete.get(sessionId)?.has(athleteId) !== true;
  const computed = readable.filter((part) => part.inputs !== null && isComplete(part));
  const isSeen = (athleteId: number) => squad.view.athleteId === null || athleteId === squad.view.athleteId;
  const about = await aboutPlayers(
    queries,
    squad.id,
    all,
    computed.filter(({ athleteId }) => isSeen(athleteId)),
  );
  const { etag } = tagged([
    SEASON_VERSION,
    FIGURES_VERSION,
    squad.view,
    [left_out, all.map(({ id, name, kind, startTime, endTime }) => [id, name, kind, startTime, endTime])],
    [...about.values()].map(({ athleteId, name, number, position }) => [athleteId, name, number, position]),
    readable.map(({ sessionId, athleteId, inputs, isShown }) => [sessionId, athleteId, inputs, isShown]),
    [...incomplete].map(([sessionId, athletes]) => [sessionId, ...athletes]),
    [...computing].sort((a, b) => a - b),
  ]);
  if (isKnown(etag)) return { resource: NOTHING, etag };
  const missing = readable.filter(({ inputs }) => inputs === null);
  const stored: Omit<StoredSession, "isComplete">[] = [];
  const partsOfSession = groupBy(computed, ({ sessionId }) => sessionId);
  for (const batch of batches) {
    ctx.signal?.throwIfAborted();
    const matches = batch.flatMap(({ id, kind }) => (kind === "match" ? [id] : []));
    const { bySession, changed } = await storedOf(
      queries,
      batch.flatMap(({ id }) => partsOfSession.get(id) ?? []),
      { matches, seen: squad.view.athleteId },
    );
    // A computation has replaced the figures since their inputs were read.
    if (changed.length > 0 && tries < MAX_TRIES) return squadSeason(ctx, squad, query, isKnown, tries + 1);
    missing.push(...changed);
    const notes = await matchNotesOf(
      queries,
      matches.filter((id) => bySession.has(id)),
    );
    stored.push(
      ...batch.map((session) => ({
        session,
        note: notes.get(session.id) ?? null,
        ...(bySession.get(session.id) ?? NO_PLAYERS),
      })),
    );
  }
  const notComputed = groupBy(missing, ({ sessionId }) => sessionId);
  const missingIn = (id: number) => [
    ...new Set([
      ...(notComputed.get(id) ?? []).map(({ athleteId }) => athleteId),
      ...(incomplete.get(id) ?? []),
    ]),
  ];
  const head = {
    squad: squad.id,
    left_out,
    sessions: stored.map(({ note, session: { id, name, kind, startTime, endTime } }) => ({
      id,
      name,
      kind,
      start_time: startTime.toISOString(),
      end_time: endTime.toISOString(),
      match_note: note,
      not_computed: missingIn(id).filter(isSeen),
      computing: computing.has(id),
    })),
  };
  const pieces = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"players":[`)];
  let separator = "";
  const played = stored.map((one) => ({ ...one, isComplete: missingIn(one.session.id).length === 0 }));
  for await (const player of seasonPlayers(played, about, squad.view)) {
    ctx.signal?.throwIfAborted();
    // Convert the text to bytes immediately, because texts of several megabytes would remain until the response is
    // complete.
    pieces.push(Buffer.from(separator + player));
    separator = ",";
  }
  pieces.push(Buffer.from("]}"));
  return { resource: new JsonBytes(Buffer.concat(pieces)), etag };
}

/** Returns the latest sessions that the caller can see, in batches, and the number of older ones. */
async function sessionsIn(
  ctx: Context,
  { id: squadId, view }: SeenSquad,
  { from, to }: StaticDecode<typeof SeasonQuery>,
) {
  const inTime = and(
    eq(sessions.squadId, squadId),
    view.athleteId === null ? undefined : isVisibleSession(ctx, sessions.activityId),
    isValidBetween(sessions, from, to),
  );
  const found = await selectSessions(ctx.queries)
    .where(inTime)
    .orderBy(desc(sessions.startTime), desc(sessions.activityId))
    .limit(MAX_SESSIONS);
  const batches = await batchesOf(ctx.queries, found.map(toSession));
  const count = await ctx.queries.$count(sessions, inTime);
  return { batches, left_out: count - batches.flat().length };
}

/** The players in the sessions whom the owner of the squad may read, including those whom the caller does not see. */
async function readableParts(
  ctx: Context,
  { ownerId }: SeenSquad,
  batches: readonly Session[][],
): Promise<ReadPart[]> {
  const parts: Part[] = [];
  for (const batch of batches) {
    ctx.signal?.throwIfAborted();
    parts.push(...(await partsOf(ctx.queries, batch)));
    await nextEventLoopTurn();
  }
  // Read the permissions last, so that a permission that was withdrawn during the request does not count.
  const grants = await grantsOf(
    ctx.queries,
    ownerId,
    "READ",
    parts.flatMap(({ athleteId, whole, beyond }) =>
      [...whole, ...beyond].map((time) => ({ athleteId, ...time })),
    ),
  );
  return parts
    .filter(({ athleteId, whole }) => countsInLength(grants, athleteId, whole))
    .map((part) => ({ ...part, isShown: isReadableRow(grants, part.athleteId, part.beyond) }));
}

/** Returns the names and numbers of the players. */
async function aboutPlayers(
  queries: Queries,
  squadId: number,
  all: readonly Session[],
  parts: readonly Part[],
): Promise<About> {
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const time = { squadId, startTime: first.startTime, endTime: last.endTime };
  const ids = new Set(parts.map(({ athleteId }) => athleteId));
  // As in `asi squad`, the season shows the number in the last session.
  const players = await playersOf(queries, time, [...ids], "last");
  return new Map(players.map((player) => [player.athleteId, player]));
}
