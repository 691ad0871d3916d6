import { and, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Config } from "../../config/config.js";
import { isSampleServerAway } from "../../store/placement/watch.js";
import { countSamplesOf, sqlClientOf } from "../../store/samples/index.js";
import {
  accounts,
  activities,
  applications,
  assignments,
  idempotencyKeys,
  ownerships,
  permissions,
  recipes,
  refreshTokens,
  sessionFigures,
  squadGrants,
  squadMembers,
  squads,
  timeframes,
} from "../../store/schema.js";
import { lockAccount } from "./account-lock.js";
import { isWithin } from "./cached-count.js";
import type { Context } from "./context.js";
import { ServiceError } from "./errors.js";
import type { UnitOfWork } from "./unit-of-work.js";

/** The account would exceed its quota. */
export class QuotaExceeded extends ServiceError {
  /** Message with the limit and advice for the user. */
  readonly advice: string;

  constructor(message: string) {
    super("conflict", "quota_exceeded", { message });
    this.advice = message;
  }
}

/** Maximum amounts for one account. */
interface Limit {
  setting: Extract<keyof Config, `quota${string}`>;
  used: SQL<number>;
  message(limit: number): string;
}

const rows = sql<number>`count(*)::int`;
const bytes = (size: SQL) => sql<number>`coalesce(sum(${size}), 0)::float8`;

/**
 * Creates a check to call after writing rows of an account. A transaction that exceeds the quota is rolled back. To write many
 * rows, call it before with their number `more`. The check locks the account, so that concurrent requests are counted one after
 * another.
 * @throws QuotaExceeded
 */
const quota =
  (table: PgTable, isOf: (accountId: number) => SQL | undefined, ...limits: Limit[]) =>
  async (unit: UnitOfWork, accountId: number, more = 0): Promise<void> => {
    const { queries, config } = unit;
    await lockAccount(unit, accountId);
    const [use] = await queries
      .select(Object.fromEntries(limits.map(({ setting, used }) => [setting, used])))
      .from(table)
      .where(isOf(accountId));
    for (const { setting, used, message } of limits) {
      const total = (use?.[setting] ?? 0) + (used === rows ? more : 0);
      if (total > config[setting]) throw new QuotaExceeded(message(config[setting]));
    }
  };

/** Call it after adding an activity, or after its JSON grows. */
export const enforceActivityQuota = quota(
  activities,
  (owner) => eq(activities.ownerId, owner),
  {
    setting: "quotaActivities",
    used: rows,
    message: (limit) => `One account can have at most ${limit} activities. Delete some first.`,
  },
  {
    setting: "quotaActivityBytes",
    // Reads the sizes of the values, not the values.
    used: bytes(sql`pg_column_size(${activities.json})`),
    message: (limit) =>
      `The JSON and the courses of the activities of one account can have at most ${limit} bytes. Delete some first.`,
  },
);

export const tooManyTimeframesOfOwner = (limit: number): string =>
  `One account can have at most ${limit} time frames. Delete some first.`;

/** Call it after adding a time frame. */
export const enforceTimeframeQuota = quota(timeframes, (owner) => eq(timeframes.ownerId, owner), {
  setting: "quotaTimeframes",
  used: rows,
  message: tooManyTimeframesOfOwner,
});

/** Call it after adding a recipe. */
export const enforceRecipeQuota = quota(
  recipes,
  (account) => and(eq(recipes.accountId, account), isNull(recipes.deletedAt)),
  {
    setting: "quotaRecipes",
    used: rows,
    message: (limit) => `One account has at most ${limit} versions of recipes. Delete some first.`,
  },
);

/** Call it after adding a personal token. */
export const enforceTokenQuota = quota(
  refreshTokens,
  (account) =>
    and(
      eq(refreshTokens.accountId, account),
      isNotNull(refreshTokens.name),
      // Expired tokens are not listed, even before they are removed.
      gt(refreshTokens.expiresAt, sql`now()`),
    ),
  {
    setting: "quotaTokens",
    used: rows,
    message: (limit) => `One account has at most ${limit} personal tokens. Delete some first.`,
  },
);

/** Call it after adding an application of a manager. */
export const enforceApplicationQuota = quota(
  applications,
  (account) => and(eq(applications.accountId, account), isNull(applications.revokedAt)),
  {
    setting: "quotaApplications",
    used: rows,
    message: (limit) => `At most ${limit} applications can act for one account. Delete some first.`,
  },
);

/** Call it after adding a squad. */
export const enforceSquadQuota = quota(squads, (owner) => eq(squads.ownerId, owner), {
  setting: "quotaSquads",
  used: rows,
  message: (limit) => `One account has at most ${limit} squads. Delete some first.`,
});

/** Call it after adding a member to a squad. */
export const enforceMemberQuota = quota(
  squadMembers,
  (owner) => sql`${squadMembers.squadId} IN (SELECT id FROM ${squads} WHERE owner_id = ${owner})`,
  {
    setting: "quotaMembers",
    used: rows,
    message: (limit) => `The squads of one account have at most ${limit} members. Delete some first.`,
  },
);

/** Call it after adding an invitation to a squad. */
export const enforceInvitationQuota = quota(
  squadGrants,
  // Roles that come from groups of the OpenID provider do not count, because the owner has not given them.
  (owner) =>
    sql`${squadGrants.squadId} IN (SELECT id FROM ${squads} WHERE owner_id = ${owner}) AND NOT ${squadGrants.byProvider}`,
  {
    setting: "quotaInvitations",
    used: rows,
    message: (limit) => `The squads of one account have at most ${limit} invitations. Delete some first.`,
  },
);

/** Call it after adding an assignment. */
export const enforceAssignmentQuota = quota(assignments, (owner) => eq(assignments.ownerId, owner), {
  setting: "quotaAssignments",
  used: rows,
  message: (limit) => `One account has at most ${limit} assignments. Delete some first.`,
});

/** Call it after adding an ownership. */
export const enforceOwnershipQuota = quota(ownerships, (manager) => eq(ownerships.managerId, manager), {
  setting: "quotaOwnerships",
  used: rows,
  message: (limit) =>
    `One account can have at most ${limit} ownerships, including ended ownerships. Ask the operator of the service for a higher QUOTA_OWNERSHIPS.`,
});

/** Call it after adding a managed athlete. */
export const enforceAthleteQuota = quota(accounts, (manager) => eq(accounts.managedBy, manager), {
  setting: "quotaManagedAthletes",
  used: rows,
  message: (limit) => `One account can manage at most ${limit} athletes. Delete some first.`,
});

/**
 * Call it after adding permissions of an athlete. Their number is limited, because every check of a right reads all permissions
 * of a manager.
 */
export const enforcePermissionQuota = quota(permissions, (athlete) => eq(permissions.athleteId, athlete), {
  setting: "quotaPermissions",
  used: rows,
  message: (limit) => `One athlete can grant at most ${limit} permissions. Remove some first.`,
});

/** Call it after a managed athlete gets a larger picture. */
export const enforcePictureQuota = quota(accounts, (manager) => eq(accounts.managedBy, manager), {
  setting: "quotaPictureBytes",
  used: bytes(sql`octet_length(${accounts.profilePicture})`),
  message: (limit) =>
    `The pictures of the athletes of one account can have at most ${limit} bytes in base64. Remove some first.`,
});

/** Only larger responses count. The index `idempotency_keys_large` has the same limit. */
export const SMALL_RESPONSE_BYTES = 2048;

// Use a literal, because the partial index does not match parameters.
const smallBytes = sql.raw(`${SMALL_RESPONSE_BYTES}`);

/** Call it after storing a response to an idempotency key that is larger than `SMALL_RESPONSE_BYTES`. */
export const enforceResponseQuota = quota(
  idempotencyKeys,
  (account) =>
    and(eq(idempotencyKeys.accountId, account), sql`octet_length(${idempotencyKeys.body}) > ${smallBytes}`),
  {
    setting: "quotaResponseBytes",
    // Each response counts as at least `smallBytes`. This limits the number of responses even if they compress well, so
    // the sum is computed quickly.
    used: bytes(sql`greatest(pg_column_size(${idempotencyKeys.body}), ${smallBytes})`),
    message: (limit) =>
      `The responses stored for the idempotency keys of one account can have at most ${limit} bytes. They are stored for 24 hours. Send the request later, or without Idempotency-Key.`,
  },
);

type Counting = Pick<UnitOfWork, "queries" | "config" | "now">;

const isWithinSamples = (counting: Counting, accountId: number, limit: number, stored: number) =>
  isWithin(counting, limit, `samples ${accountId}`, stored, () =>
    countSamplesOf(sqlClientOf(counting.queries), accountId, isSampleServerAway),
  );

/** Whether the quota of an account allows `added` more samples than are stored now. Reserves nothing. */
export const hasRoomForSamples = (counting: Counting, accountId: number, added: number): Promise<boolean> =>
  isWithinSamples(counting, accountId, counting.config.quotaSamples - added, 0);

export const tooManySamples = ({ quotaSamples }: Config): QuotaExceeded =>
  new QuotaExceeded(
    `The devices of one account can have at most ${quotaSamples} samples; each period of five minutes with samples counts as at least 50. Ask the operator of the service for a higher QUOTA_SAMPLES.`,
  );

/**
 * Call it after storing samples of a device of the account.
 * @param stored increase of the count: `room` of `storeSamples`
 * @throws QuotaExceeded
 */
export async function enforceSampleQuota(unit: UnitOfWork, accountId: number, stored: number): Promise<void> {
  if (!(await isWithinSamples(unit, accountId, unit.config.quotaSamples, stored)))
    throw tooManySamples(unit.config);
}

/** Whether the quota of an owner allows `added` more stored figures. */
export function hasRoomForFigures(
  { queries, config, clock }: Pick<Context, "queries" | "config" | "clock">,
  ownerId: number,
  added: number,
): Promise<boolean> {
  const ofOwner = queries
    .select({ id: activities.id })
    .from(activities)
    .where(eq(activities.ownerId, ownerId));
  const count = async () =>
    added + (await queries.$count(sessionFigures, inArray(sessionFigures.sessionId, ofOwner)));
  return isWithin({ config, now: clock.now() }, config.quotaFigures, `figures ${ownerId}`, added, count);
}

/** Time after which the client may repeat the request. Without a key, the client can repeat it immediately. */
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
      detail: `One account can use at most ${quotaIdempotencyKeys} idempotency keys in 24 hours. Send the request later, or without Idempotency-Key.`,
    },
    KEYS_RETRY_AFTER_MS,
  );
}
