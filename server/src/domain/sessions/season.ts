import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { Static, StaticDecode } from "@sinclair/typebox";
import { and, desc, eq, inArray, lte } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { sessions, squadMembers } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { type Item, tagged } from "../change/entity-tags.js";
import { groupBy } from "../change/group-by.js";
import { JsonBytes } from "../lists/json-bytes.js";
import { isValidBetween } from "../lists/times.js";
import { grantsOf } from "../permissions/coverage.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { isVisibleSession } from "../squad-roles/view.js";
import { FIGURES_VERSION } from "./figures-inputs.js";
import { matchNotesOf } from "./match-notes.js";
import { playersOf } from "./players.js";
import { countsInLength, isReadableRow } from "./readable-rows.js";
import { incompletePlayers } from "./refused-derivations.js";
import { type Session, selectSessions, toSession } from "./rules.js";
import { type Part, partsOf, type ReadPart } from "./season-parts.js";
import { type About, type StoredSession, seasonPlayers } from "./season-players.js";
import type { Season, SeasonQuery } from "./season-resource.js";
import { batchesOf, storedOf } from "./season-stored.js";
import { computingSessions } from "./waiting-work.js";

/** Maximum number of sessions in one response. */
export const MAX_SESSIONS = 400;

/** Maximum number of restarts because figures have changed between the statements. */
const MAX_TRIES = 3;

type SeasonItem = Item<JsonBytes<Static<typeof Season>>>;

/** Increased when the response to the same stored figures changes. */
const SEASON_VERSION = 8;

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
    [
      left_out,
      all.map(({ id, name, kind, sport, startTime, endTime }) => [id, name, kind, sport, startTime, endTime]),
    ],
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
    sessions: stored.map(({ note, session: { id, name, kind, sport, startTime, endTime } }) => ({
      id,
      name,
      kind,
      sport,
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

/** Returns the latest sessions that have begun and that the caller can see, in batches, and the number of older ones. */
async function sessionsIn(
  ctx: Context,
  { id: squadId, view }: SeenSquad,
  { from, to }: StaticDecode<typeof SeasonQuery>,
) {
  const inTime = and(
    eq(sessions.squadId, squadId),
    view.athleteId === null ? undefined : isVisibleSession(ctx, sessions.activityId),
    isValidBetween(sessions, from, to),
    lte(sessions.startTime, ctx.clock.now()),
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
  { id: squadId, ownerId }: SeenSquad,
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
  const isMember = await membersIn(ctx.queries, squadId, batches.flat(), parts);
  return parts
    .filter((part) => isMember(part) && countsInLength(grants, part.athleteId, part.whole))
    .map((part) => ({ ...part, isShown: isReadableRow(grants, part.athleteId, part.beyond) }));
}

/** Finds out whether a player belongs to the squad in a session, because the time frames of a removed player remain for a moment. */
async function membersIn(
  queries: Queries,
  squadId: number,
  all: readonly Session[],
  parts: readonly Part[],
): Promise<(part: Part) => boolean> {
  const athletes = [...new Set(parts.map(({ athleteId }) => athleteId))];
  const { athleteId, startTime, endTime } = squadMembers;
  const rows = await queries
    .select({ athleteId, startTime, endTime })
    .from(squadMembers)
    .where(and(eq(squadMembers.squadId, squadId), inArray(athleteId, athletes)));
  const times = groupBy(rows, (row) => row.athleteId);
  const byId = new Map(all.map((session) => [session.id, session]));
  return (part) => {
    const session = byId.get(part.sessionId);
    return (
      session !== undefined &&
      (times.get(part.athleteId) ?? []).some(
        (row) => row.startTime < session.endTime && row.endTime > session.startTime,
      )
    );
  };
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
