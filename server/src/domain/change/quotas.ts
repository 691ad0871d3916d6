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
  rows: number;
  /** Instant in ms. */
  atMs: number;
}

/** How long a count is used. It misses what other processes add during this time. */
const COUNT_VALID_MS = 60_000;
/** Before a request is refused, a count older than this is taken again. */
const RECOUNT_AFTER_MS = 5_000;
const MAX_COUNTS = 20_000;

/** The counts of one process, keyed by its settings. */
const countsOf = new WeakMap<Config, LRUCache<string, Count>>();

function countsIn(config: Config): LRUCache<string, Count> {
  const counts = countsOf.get(config) ?? new LRUCache<string, Count>({ max: MAX_COUNTS });
  countsOf.set(config, counts);
  return counts;
}

/**
 * Whether an account has at most so many rows. Counting many takes long, so it is done once a minute at most, and what this
 * process adds is added in between.
 * @param name of the rows and the account
 * @param added how much the count has risen in this transaction
 * @param count counts what the transaction sees
 */
async function isWithin(
  { config, now }: UnitOfWork,
  quota: number,
  name: string,
  added: number,
  count: () => Promise<number>,
): Promise<boolean> {
  const counts = countsIn(config);
  const known = counts.get(name);
  const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now.getTime() - known.atMs;
  if (known !== undefined && ageMs < COUNT_VALID_MS && known.rows + added <= quota) {
    counts.set(name, { ...known, rows: known.rows + added });
    return true;
  }
  if (known !== undefined && ageMs < RECOUNT_AFTER_MS) return false;
  const rows = await count();
  const isEnough = rows <= quota;
  // What is refused is rolled back.
  counts.set(name, { rows: isEnough ? rows : rows - added, atMs: now.getTime() });
  return isEnough;
}

/**
 * Call it after storing samples of a device of the account.
 * @param stored how much the count has risen: `room` of `storeSamples`
 * @throws QuotaExceeded
 */
export async function enforceSampleQuota(unit: UnitOfWork, accountId: number, stored: number): Promise<void> {
  const { quotaSamples } = unit.config;
  const count = () => countSamplesOf(sqlClientOf(unit.queries), accountId, isSampleServerAway);
  if (await isWithin(unit, quotaSamples, `samples ${accountId}`, stored, count)) return;
  throw new QuotaExceeded(
    `The devices of one account have at most ${quotaSamples} samples, and every five minutes with samples count as at least 50. Ask the operator of the service for a higher QUOTA_SAMPLES.`,
  );
}

/** A client may also leave the key out at once. */
const KEYS_RETRY_AFTER_MS = 600_000;

/**
 * Call it after adding an idempotency key.
 * @throws ServiceError `too_many_idempotency_keys`
 */
export async function enforceKeyQuota(unit: UnitOfWork, accountId: number): Promise<void> {
  const { quotaIdempotencyKeys } = unit.config;
  const count = () => unit.queries.$count(idempotencyKeys, eq(idempotencyKeys.accountId, accountId));
  if (await isWithin(unit, quotaIdempotencyKeys, `idempotency keys ${accountId}`, 1, count)) return;
  throw new ServiceError(
    "throttled",
    "too_many_idempotency_keys",
    {
      detail: `One account uses at most ${quotaIdempotencyKeys} idempotency keys in 24 hours. Send the request later, or without Idempotency-Key.`,
    },
    KEYS_RETRY_AFTER_MS,
  );
}
