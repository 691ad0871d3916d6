import { and, eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.js";
import { isSampleServerAway } from "../../store/placement/watch.js";
import { countSamplesOf, sqlClientOf } from "../../store/samples/index.js";
import {
  accounts,
  activities,
  idempotencyKeys,
  ownerships,
  permissions,
  timeframes,
} from "../../store/schema.js";
import { ServiceError } from "./errors.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** The account would exceed its quota. */
export class QuotaExceeded extends ServiceError {
  /** The limit, and advice for the account. */
  readonly advice: string;

  constructor(message: string) {
    super("conflict", "quota_exceeded", { message });
    this.advice = message;
  }
}

/**
 * Locks the account, so that its requests count one after another. The rows to count are already written: a
 * transaction that is over the quota is rolled back.
 */
async function lock({ queries }: UnitOfWork, accountId: number): Promise<void> {
  await queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for("no key update");
}

/**
 * Call it after adding an activity, or after its JSON grows.
 * @throws QuotaExceeded
 */
export async function enforceActivityQuota(unit: UnitOfWork, ownerId: number): Promise<void> {
  await lock(unit, ownerId);
  const { quotaActivities, quotaActivityBytes } = unit.config;
  // The size of a value is known without reading it.
  const [used] = await unit.queries
    .select({
      count: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(pg_column_size(${activities.json})), 0)::float8`,
    })
    .from(activities)
    .where(eq(activities.ownerId, ownerId));
  if ((used?.count ?? 0) > quotaActivities) {
    throw new QuotaExceeded(`One account has at most ${quotaActivities} activities. Delete some first.`);
  }
  if ((used?.bytes ?? 0) > quotaActivityBytes) {
    throw new QuotaExceeded(
      `The JSON and the courses of one account's activities take at most ${quotaActivityBytes} bytes. Delete some first.`,
    );
  }
}

/**
 * Call it after adding a time frame.
 * @throws QuotaExceeded
 */
export async function enforceTimeframeQuota(unit: UnitOfWork, ownerId: number): Promise<void> {
  await lock(unit, ownerId);
  const { quotaTimeframes } = unit.config;
  const count = await unit.queries.$count(timeframes, eq(timeframes.ownerId, ownerId));
  if (count <= quotaTimeframes) return;
  throw new QuotaExceeded(`One account has at most ${quotaTimeframes} time frames. Delete some first.`);
}

/**
 * Call it after adding an ownership.
 * @throws QuotaExceeded
 */
export async function enforceOwnershipQuota(unit: UnitOfWork, managerId: number): Promise<void> {
  await lock(unit, managerId);
  const { quotaOwnerships } = unit.config;
  const count = await unit.queries.$count(ownerships, eq(ownerships.managerId, managerId));
  if (count <= quotaOwnerships) return;
  throw new QuotaExceeded(
    `One account has at most ${quotaOwnerships} ownerships, with those that have ended. Ask the operator of the service for a higher QUOTA_OWNERSHIPS.`,
  );
}

/**
 * Call it after adding a managed athlete.
 * @throws QuotaExceeded
 */
export async function enforceAthleteQuota(unit: UnitOfWork, managerId: number): Promise<void> {
  await lock(unit, managerId);
  const { quotaManagedAthletes } = unit.config;
  const count = await unit.queries.$count(accounts, eq(accounts.managedBy, managerId));
  if (count <= quotaManagedAthletes) return;
  throw new QuotaExceeded(`One account manages at most ${quotaManagedAthletes} athletes. Delete some first.`);
}

/**
 * Call it after adding permissions of an athlete. Every check of a right reads all those of a manager.
 * @throws QuotaExceeded
 */
export async function enforcePermissionQuota(unit: UnitOfWork, athleteId: number): Promise<void> {
  await lock(unit, athleteId);
  const { quotaPermissions } = unit.config;
  const count = await unit.queries.$count(permissions, eq(permissions.athleteId, athleteId));
  if (count <= quotaPermissions) return;
  throw new QuotaExceeded(`One athlete gives at most ${quotaPermissions} permissions. Remove some first.`);
}

/**
 * Call it after a managed athlete gets a larger picture.
 * @throws QuotaExceeded
 */
export async function enforcePictureQuota(unit: UnitOfWork, managerId: number): Promise<void> {
  await lock(unit, managerId);
  const { quotaPictureBytes } = unit.config;
  const [used] = await unit.queries
    .select({ bytes: sql<number>`coalesce(sum(octet_length(${accounts.profilePicture})), 0)::float8` })
    .from(accounts)
    .where(eq(accounts.managedBy, managerId));
  if ((used?.bytes ?? 0) <= quotaPictureBytes) return;
  throw new QuotaExceeded(
    `The pictures of one account's athletes take at most ${quotaPictureBytes} bytes in base64. Remove some first.`,
  );
}

/** Larger responses count. The index `idempotency_keys_large` contains them, so it has the same number. */
export const SMALL_RESPONSE_BYTES = 2048;

/**
 * Call it after storing a response to an idempotency key that is larger than `SMALL_RESPONSE_BYTES`.
 * @throws QuotaExceeded
 */
export async function enforceResponseQuota(unit: UnitOfWork, accountId: number): Promise<void> {
  await lock(unit, accountId);
  const { quotaResponseBytes } = unit.config;
  const { body } = idempotencyKeys;
  // A literal, because the partial index does not match parameters.
  const small = sql.raw(`${SMALL_RESPONSE_BYTES}`);
  // However well they compress, the quota has room for a limited number, so that their sum is computed fast.
  const [used] = await unit.queries
    .select({ bytes: sql<number>`coalesce(sum(greatest(pg_column_size(${body}), ${small})), 0)::float8` })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.accountId, accountId), sql`octet_length(${body}) > ${small}`));
  if ((used?.bytes ?? 0) <= quotaResponseBytes) return;
  throw new QuotaExceeded(
    `The responses kept for the idempotency keys of one account take at most ${quotaResponseBytes} bytes. They are kept for 24 hours: send the request later, or without Idempotency-Key.`,
  );
}

interface Count {
  samples: number;
  /** Instant in ms. */
  at: number;
}

/** How long a count of samples is used. It misses what other processes load during this time. */
const COUNT_VALID_MS = 60_000;
/** Before a load is refused, a count older than this is taken again. */
const RECOUNT_AFTER_MS = 5_000;
const MAX_COUNTS = 10_000;

/** The counts of one process, keyed by its settings. */
const countsOf = new WeakMap<Config, LRUCache<number, Count>>();

function countsIn(config: Config): LRUCache<number, Count> {
  const counts = countsOf.get(config) ?? new LRUCache<number, Count>({ max: MAX_COUNTS });
  countsOf.set(config, counts);
  return counts;
}

/**
 * Call it after storing samples of a device of the account. Counting takes a second when there are thousands of
 * millions, so it is done once a minute at most, and what this process stores is added in between.
 * @param stored how much the count has risen: `room` of `storeSamples`
 * @throws QuotaExceeded
 */
export async function enforceSampleQuota(unit: UnitOfWork, accountId: number, stored: number): Promise<void> {
  const { config, queries, now } = unit;
  const counts = countsIn(config);
  const known = counts.get(accountId);
  const age = known === undefined ? Number.POSITIVE_INFINITY : now.getTime() - known.at;
  if (known !== undefined && age < COUNT_VALID_MS && known.samples + stored <= config.quotaSamples) {
    counts.set(accountId, { ...known, samples: known.samples + stored });
    return;
  }
  if (known === undefined || age >= RECOUNT_AFTER_MS) {
    const samples = await countSamplesOf(sqlClientOf(queries), accountId, isSampleServerAway);
    if (samples <= config.quotaSamples) {
      counts.set(accountId, { samples, at: now.getTime() });
      return;
    }
    // This load is rolled back.
    counts.set(accountId, { samples: samples - stored, at: now.getTime() });
  }
  throw new QuotaExceeded(
    `The devices of one account have at most ${config.quotaSamples} samples, and every five minutes with samples count as at least 50. Ask the operator of the service for a higher QUOTA_SAMPLES.`,
  );
}
