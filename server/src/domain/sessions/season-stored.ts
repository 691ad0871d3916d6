import { and, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../store/connection/database.js";
import { recomputations, sessionFigures, sessionTimeframes, timeframes } from "../../store/schema.js";
import type { PlayerFigures } from "../change/compute-pool.js";
import { pendingChanges } from "../computed-data/compute.js";
import { hasLostSamples } from "../computed-data/removed-samples.js";
import { FIGURES_VERSION, isOfSameFrames, readFigures } from "./figures-inputs.js";
import type { Session } from "./rules.js";
import { WHOLE } from "./wanted-timeframes.js";

/** Maximum number of time frames of whole sessions and bytes of stored figures, in one response and in one batch. */
const MOST = { entries: 15_000, bytes: 64 * 1024 * 1024 };
const BATCH = { entries: 400, bytes: 1024 * 1024 };

/** The time frames of a player for the whole session, and the versions of all time frames. */
interface Part {
  sessionId: number;
  athleteId: number;
  states: string;
  start: Date | null;
  end: Date | null;
}

/**
 * Divides sessions into batches in chronological order, so that each is read without delaying other requests. Older sessions are
 * omitted if there are too many.
 * @param found latest first
 */
export async function batchesOf(queries: Queries, found: readonly Session[]): Promise<Session[][]> {
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const frames = await queries
    .select({ id: sessionTimeframes.sessionId, count: sql<number>`count(*)::int` })
    .from(sessionTimeframes)
    .where(and(inArray(sessionTimeframes.sessionId, ids), eq(sessionTimeframes.period, WHOLE)))
    .groupBy(sessionTimeframes.sessionId);
  const texts = await queries
    .select({
      id: sessionFigures.sessionId,
      bytes: sql<number>`sum(octet_length(${sessionFigures.figures}))::float8`,
    })
    .from(sessionFigures)
    .where(and(inArray(sessionFigures.sessionId, ids), eq(sessionFigures.period, WHOLE)))
    .groupBy(sessionFigures.sessionId);
  const entriesOf = new Map(frames.map(({ id, count }) => [id, count]));
  const bytesOf = new Map(texts.map(({ id, bytes }) => [id, bytes]));
  const batches: Session[][] = [];
  const total = { entries: 0, bytes: 0 };
  let inBatch = { entries: BATCH.entries, bytes: 0 };
  for (const session of found) {
    const entries = entriesOf.get(session.id) ?? 0;
    const bytes = bytesOf.get(session.id) ?? 0;
    total.entries += entries;
    total.bytes += bytes;
    if (batches.length > 0 && (total.entries > MOST.entries || total.bytes > MOST.bytes)) break;
    if (inBatch.entries + entries > BATCH.entries || inBatch.bytes + bytes > BATCH.bytes) {
      batches.push([]);
      inBatch = { entries: 0, bytes: 0 };
    }
    inBatch.entries += entries;
    inBatch.bytes += bytes;
    batches.at(-1)?.push(session);
  }
  return batches.map((batch) => batch.reverse()).reverse();
}

/** The time frames of the sessions, by player. */
export async function partsOf(queries: Queries, all: readonly Session[]): Promise<Part[]> {
  if (all.length === 0) return [];
  // Removed samples are rare, and a search for each time frame would take most of the time.
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

export interface Stored {
  athleteId: number;
  figures: Pick<PlayerFigures, "figures" | "recordedMs" | "seconds">;
}

/** The stored figures of whole sessions by session, and the players without valid figures. */
export async function storedOf(queries: Queries, parts: readonly Part[]) {
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
    // Reads only the columns that a season needs, because there are thousands of rows.
    const { figures, recordedMs, seconds } = readFigures(row.figures);
    const stored = { athleteId, figures: { figures, recordedMs, seconds } };
    const others = valid.get(sessionId);
    if (others === undefined) valid.set(sessionId, [stored]);
    else others.push(stored);
  }
  return { valid, missing };
}

const keyOf = ({ sessionId, athleteId }: Pick<Part, "sessionId" | "athleteId">) =>
  `${sessionId} ${athleteId}`;

/** Without the hash of the periods, which do not affect the figures of the whole session. */
const inputsIn = (inputs: string): string => inputs.split(":").slice(0, 2).join(":");

const currentOf = ({ states }: Part): string => `${FIGURES_VERSION}:${states}`;

/** Players whose samples retention has removed keep their stored figures. */
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
