import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
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

/** What an account has at most. */
interface Limit {
  setting: Extract<keyof Config, `quota${string}`>;
  used: SQL<number>;
  message(limit: number): string;
}

const rows = sql<number>`count(*)::int`;
const bytes = (size: SQL) => sql<number>`coalesce(sum(${size}), 0)::float8`;

/**
 * A check to call after writing the rows of an account: a transaction that is over the quota is rolled back. It locks the account,
 * so that its requests count one after another.
 * @throws QuotaExceeded
 */
const quota =
  (table: PgTable, isOf: (accountId: number) => SQL | undefined, ...limits: Limit[]) =>
  async ({ queries, config }: UnitOfWork, accountId: number): Promise<void> => {
    await queries
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.id, accountId))
      .for("no key update");
    const [use] = await queries
      .select(Object.fromEntries(limits.map(({ setting, used }) => [setting, used])))
      .from(table)
      .where(isOf(accountId));
    for (const { setting, message } of limits) {
      if ((use?.[setting] ?? 0) > config[setting]) throw new QuotaExceeded(message(config[setting]));
    }
  };

/** After adding an activity, or after its JSON grows. */
export const enforceActivityQuota = quota(
  activities,
  (owner) => eq(activities.ownerId, owner),
  {
    setting: "quotaActivities",
    used: rows,
    message: (limit) => `One account has at most ${limit} activities. Delete some first.`,
  },
  {
    setting: "quotaActivityBytes",
    // The size of a value is known without reading it.
    used: bytes(sql`pg_column_size(${activities.json})`),
    message: (limit) =>
      `The JSON and the courses of one account's activities take at most ${limit} bytes. Delete some first.`,
  },
);

/** After adding a time frame. */
export const enforceTimeframeQuota = quota(timeframes, (owner) => eq(timeframes.ownerId, owner), {
  setting: "quotaTimeframes",
  used: rows,
  message: (limit) => `One account has at most ${limit} time frames. Delete some first.`,
});

/** After adding an ownership. */
export const enforceOwnershipQuota = quota(ownerships, (manager) => eq(ownerships.managerId, manager), {
  setting: "quotaOwnerships",
  used: rows,
  message: (limit) =>
    `One account has at most ${limit} ownerships, with those that have ended. Ask the operator of the service for a higher QUOTA_OWNERSHIPS.`,
});

/** After adding a managed athlete. */
export const enforceAthleteQuota = quota(accounts, (manager) => eq(accounts.managedBy, manager), {
  setting: "quotaManagedAthletes",
  used: rows,
  message: (limit) => `One account manages at most ${limit} athletes. Delete some first.`,
});

/** After adding permissions of an athlete. Every check of a right reads all those of a manager. */
export const enforcePermissionQuota = quota(permissions, (athlete) => eq(permissions.athleteId, athlete), {
  setting: "quotaPermissions",
  used: rows,
  message: (limit) => `One athlete gives at most ${limit} permissions. Remove some first.`,
});

/** After a managed athlete gets a larger picture. */
export const enforcePictureQuota = quota(accounts, (manager) => eq(accounts.managedBy, manager), {
  setting: "quotaPictureBytes",
  used: bytes(sql`octet_length(${accounts.profilePicture})`),
  message: (limit) =>
    `The pictures of one account's athletes take at most ${limit} bytes in base64. Remove some first.`,
});

/** Larger responses count. The index `idempotency_keys_large` contains them, so it has the same number. */
export const SMALL_RESPONSE_BYTES = 2048;

// A literal, because the partial index does not match parameters.
const smallBytes = sql.raw(`${SMALL_RESPONSE_BYTES}`);

/** After storing a response to an idempotency key that is larger than `SMALL_RESPONSE_BYTES`. */
export const enforceResponseQuota = quota(
  idempotencyKeys,
  (account) =>
    and(eq(idempotencyKeys.accountId, account), sql`octet_length(${idempotencyKeys.body}) > ${smallBytes}`),
  {
    setting: "quotaResponseBytes",
    // However well they compress, the quota has room for a limited number, so that their sum is computed fast.
    used: bytes(sql`greatest(pg_column_size(${idempotencyKeys.body}), ${smallBytes})`),
    message: (limit) =>
      `The responses kept for the idempotency keys of one account take at most ${limit} bytes. They are kept for 24 hours: send the request later, or without Idempotency-Key.`,
  },
);

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
