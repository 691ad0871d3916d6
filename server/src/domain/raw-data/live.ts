import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { samplesToJson } from "asi-convert/json";
import { and, eq, sql } from "drizzle-orm";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";
import { preparedOnce } from "../../store/connection/database.js";
import { lowerBound, sliceColumns } from "../../store/samples/columns.js";
import {
  addedSamples,
  type KnownSamples,
  type SampleColumns,
  sqlClientOf,
} from "../../store/samples/index.js";
import { liveConnections } from "../../store/schema.js";
import { LATEST_LIMITS } from "../../wire/page-limits.js";
import { authorize } from "../change/access.js";
import type { Context } from "../change/context.js";
import { ServiceError } from "../change/errors.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { withOwnershipRecheck } from "./ownership-recheck.js";
import { SAMPLE_KEYS } from "./resource.js";

/** Samples of a device that the client does not have. */
export interface LiveSamples {
  /** Whether they are not later than a sample that the client has received, because the tracker sent them late. */
  isLate: boolean;
  /** JSON array of samples with ascending times. */
  json: string;
  /**
   * Time of the newest sample that the client has, ms since 1970 UTC, but not later than now: a client that reconnects requests
   * newer samples, and one sample ahead of the clock must not hide the others.
   */
  lastMs: number;
}

/**
 * A sample that is at least this far ahead of the server's clock comes from a tracker with a fast clock, and does not affect
 * other samples.
 */
const AHEAD_MS = 10_000;

/** What a client has. */
interface Progress {
  /** Same as in `LiveSamples`; null before the first sample. */
  lastMs: number | null;
  /** Time of the newest sample that is not ahead of the clock. Samples up to this time are late. */
  frontMs: number;
  /** Null before the first poll. */
  known: KnownSamples | null;
}

/**
 * Reason why a connection ends: the session has ended, the device has a different owner or none, or the user has opened another
 * connection.
 */
export type LiveEnd = "signed_out" | "not_permitted" | "replaced";

const connectionOf = preparedOnce((queries) =>
  queries
    .select({ connection: liveConnections.connection })
    .from(liveConnections)
    .where(
      and(
        eq(liveConnections.accountId, sql.placeholder("account")),
        eq(liveConnections.deviceId, sql.placeholder("device")),
      ),
    )
    .prepare("connection_of"),
);

/**
 * Registers a new connection of the caller to a device. Another one ends at its next poll, in any process.
 * @returns id of the connection
 */
export async function openLiveConnection({ queries, caller }: Context, device: number): Promise<string> {
  const connection = randomUUID();
  await queries
    .insert(liveConnections)
    .values({ accountId: caller?.id ?? 0, deviceId: device, connection })
    .onConflictDoUpdate({
      target: [liveConnections.accountId, liveConnections.deviceId],
      set: { connection },
    });
  return connection;
}

/** Parameters of a live connection. */
interface Following {
  /** Id from `openLiveConnection`. */
  connection: string;
  /** Time of the last sample that the client has, ms since 1970 UTC; null to begin with the newest sample. */
  afterMs: number | null;
  /** Ends the connection without a reason. */
  signal: AbortSignal;
}

/**
 * Yields the samples of a device in the order of storage, regardless of their times: every `LIVE_POLL_MS` a batch, preceded by
 * a batch of late samples if there are any, or null without samples. Omits samples that are at least 15 minutes older than the
 * newest one, and all but the newest 300 of a batch. Every poll checks that the caller may still see the device.
 * @returns the reason for the end; null after the signal
 */
export async function* followRawData(
  ctx: Context,
  target: OwnedDevice,
  { connection, afterMs, signal }: Following,
): AsyncGenerator<LiveSamples | null, LiveEnd | null> {
  // A stream may request the next batch in the context of another request.
  const caller = currentCaller();
  const device = target.device.id;
  let progress: Progress = { lastMs: afterMs, frontMs: Number.NEGATIVE_INFINITY, known: null };
  const poll = async (): Promise<LiveSamples[] | LiveEnd> => {
    const [signedIn, [holder]] = await Promise.all([
      ctx.isSignedIn?.() ?? false,
      connectionOf(ctx.queries).execute({ account: ctx.caller?.id ?? 0, device }),
    ]);
    if (!signedIn) return "signed_out";
    if (holder?.connection !== connection) return "replaced";
    try {
      const found = await newSamples(ctx, device, progress);
      progress = found.progress;
      return found.events;
    } catch (error) {
      const isRefused =
        error instanceof ServiceError && (error.kind === "forbidden" || error.kind === "not_found");
      if (!isRefused) throw error;
      return "not_permitted";
    }
  };
  try {
    while (!signal.aborted) {
      const found = await onBehalfOf(caller, poll);
      if (typeof found === "string") return found;
      if (found.length === 0) yield null;
      yield* found;
      await sleep(ctx.config.livePollMs, undefined, { signal }).catch(() => undefined);
    }
    return null;
  } finally {
    // The next connection takes over a remaining row.
    await onBehalfOf(caller, () => closeLiveConnection(ctx, connection)).catch(() => undefined);
  }
}

async function closeLiveConnection({ queries, caller }: Context, connection: string): Promise<void> {
  await queries
    .delete(liveConnections)
    .where(and(eq(liveConnections.accountId, caller?.id ?? 0), eq(liveConnections.connection, connection)));
}

/**
 * Returns the samples since the last poll, at most the newest 300. The first poll returns the samples after `lastMs`, or the
 * newest sample if it is null.
 */
async function newSamples(
  ctx: Context,
  id: number,
  { lastMs, frontMs, known }: Progress,
): Promise<{ events: LiveSamples[]; progress: Progress }> {
  const target = await authorize(ctx, "streamRawData", { device: id });
  return withOwnershipRecheck(ctx, "streamRawData", target, async ({ device, ownership }, recheck) => {
    const ownedFromMs = ownership.startTime.getTime();
    const found = await addedSamples(sqlClientOf(ctx.queries), device.id, ownedFromMs, known);
    const { timestampMs, length } = found.samples;
    const first =
      known !== null ? 0 : lastMs === null ? length - 1 : lowerBound(timestampMs, length, lastMs + 1);
    const samples = sliceColumns(found.samples, Math.max(0, first, length - LATEST_LIMITS.max), length);
    const newestMs = samples.timestampMs[samples.length - 1];
    const before = { lastMs, frontMs, known: found.known };
    if (newestMs === undefined) return { events: [], progress: before };
    await recheck(newestMs);
    const nowMs = ctx.clock.now().getTime();
    const heldMs = Math.max(Math.min(newestMs, nowMs), lastMs ?? Number.NEGATIVE_INFINITY);
    const lateCount = lowerBound(samples.timestampMs, samples.length, frontMs + 1);
    const inTime = lowerBound(samples.timestampMs, samples.length, nowMs + AHEAD_MS);
    const events = [
      { isLate: true, part: sliceColumns(samples, 0, lateCount) },
      { isLate: false, part: sliceColumns(samples, lateCount, samples.length) },
    ]
      .filter(({ part }) => part.length > 0)
      .map(({ isLate, part }) => ({ isLate, json: jsonOf(part), lastMs: heldMs }));
    const newFrontMs = Math.max(frontMs, samples.timestampMs[inTime - 1] ?? frontMs);
    return { events, progress: { ...before, lastMs: heldMs, frontMs: newFrontMs } };
  });
}

const jsonOf = (samples: SampleColumns): string =>
  Buffer.from(samplesToJson(samples, { keys: SAMPLE_KEYS })).toString();
