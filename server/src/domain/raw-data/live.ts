import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { samplesToJson } from "asi-convert/json";
import { and, eq, sql } from "drizzle-orm";
import { currentCaller, onBehalfOf } from "../../callers.js";
import { preparedOnce } from "../../store/database.js";
import { reverseColumns } from "../../store/samples/columns.js";
import { latestSamples, latestTimestamp, sqlClientOf } from "../../store/samples/index.js";
import { liveConnections } from "../../store/schema.js";
import { authorize } from "../access.js";
import type { Context } from "../context.js";
import { ServiceError } from "../errors.js";
import type { OwnedDevice } from "../ownerships/rules.js";
import { LATEST } from "./fetch.js";
import { withOwnershipRecheck } from "./ownership-recheck.js";
import { SAMPLE_KEYS } from "./resource.js";

/** New samples of a device, ascending. */
export interface LiveSamples {
  /** A JSON array of samples. */
  json: string;
  /** Time of the last one, ms since 1970 UTC. */
  lastMs: number;
}

/** Why a connection ends: the session of its user has, the device has another owner or none, the user has opened another one. */
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
 * Makes a new connection the one that the caller has for a device; another one ends when it looks next, in whichever process.
 * @returns the id of the connection
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

/** What to follow, and until when. */
interface Following {
  /** Of `openLiveConnection`. */
  connection: string;
  /** Time of the last sample that the client has, ms since 1970 UTC; null: begin with the newest sample. */
  afterMs: number | null;
  /** Ends the following without a reason of its own. */
  signal: AbortSignal;
}

/**
 * Yields the samples of a device that are newer than the last ones, as they are stored: after every `LIVE_POLL_MS` a batch, or null when
 * there are none. Samples are never left out, except the older ones of more than 300 at a time. Every look checks that the caller
 * may still see the device.
 * @returns why it ends; null after the signal
 */
export async function* followRawData(
  ctx: Context,
  target: OwnedDevice,
  { connection, afterMs, signal }: Following,
): AsyncGenerator<LiveSamples | null, LiveEnd | null> {
  // A stream may ask for the next batch in the context of another request.
  const caller = currentCaller();
  const device = target.device.id;
  let lastMs = afterMs;
  const look = async (): Promise<LiveSamples | LiveEnd | null> => {
    const [signedIn, [holder]] = await Promise.all([
      ctx.isSignedIn?.() ?? false,
      connectionOf(ctx.queries).execute({ account: ctx.caller?.id ?? 0, device }),
    ]);
    if (!signedIn) return "signed_out";
    if (holder?.connection !== connection) return "replaced";
    try {
      return await newSamples(ctx, device, lastMs);
    } catch (error) {
      const isRefused =
        error instanceof ServiceError && (error.kind === "forbidden" || error.kind === "not_found");
      if (!isRefused) throw error;
      return "not_permitted";
    }
  };
  try {
    while (!signal.aborted) {
      const found = await onBehalfOf(caller, look);
      if (typeof found === "string") return found;
      lastMs = found?.lastMs ?? lastMs;
      yield found;
      await sleep(ctx.config.livePollMs, undefined, { signal }).catch(() => undefined);
    }
    return null;
  } finally {
    // A row that is left is taken over by the next connection.
    await onBehalfOf(caller, () => closeLiveConnection(ctx, connection)).catch(() => undefined);
  }
}

async function closeLiveConnection({ queries, caller }: Context, connection: string): Promise<void> {
  await queries
    .delete(liveConnections)
    .where(and(eq(liveConnections.accountId, caller?.id ?? 0), eq(liveConnections.connection, connection)));
}

/**
 * The samples after a time, at most the newest 300; the newest one when the time is null.
 * @returns null when there are none
 */
async function newSamples(ctx: Context, id: number, lastMs: number | null): Promise<LiveSamples | null> {
  const target = await authorize(ctx, "streamRawData", { device: id });
  return withOwnershipRecheck(ctx, "streamRawData", target, async ({ device, ownership }, recheck) => {
    const ownedFromMs = ownership.startTime.getTime();
    const fromMs = lastMs === null ? ownedFromMs : Math.max(ownedFromMs, lastMs + 1);
    const client = sqlClientOf(ctx.queries);
    // Most looks find nothing, and this costs no decoding of a chunk.
    const newest = await latestTimestamp(client, device.id, fromMs);
    if (newest === null) return null;
    const samples = reverseColumns(
      await latestSamples(client, device.id, fromMs, lastMs === null ? 1 : LATEST.max),
    );
    const last = samples.timestampMs[samples.length - 1];
    if (last === undefined) return null;
    await recheck(last);
    return { json: Buffer.from(samplesToJson(samples, { keys: SAMPLE_KEYS })).toString(), lastMs: last };
  });
}
