import type { FastifyReply, FastifyRequest } from "fastify";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Config } from "../../config/config.js";
import { COUNTED_BY_USER, userKey } from "../../domain/accounts/user-counters.js";
import { usernameHash } from "../../domain/accounts/usernames.js";
import { errors } from "../../domain/change/errors.js";
import { recentEntries } from "../../fairness/recent-entries.js";
import type { Database } from "../../store/connection/database.js";
import { addressKey } from "./address-key.js";

const MINUTE = 60;

/** Returns the limits: number of points and number of seconds. */
const limits = (config: Config) =>
  ({
    user: [config.throttleUserPerMinute, MINUTE],
    address: [config.throttleAddressPerMinute, MINUTE],
    rawData: [config.throttleRawDataPerMinute, MINUTE],
    files: [config.throttleFilesPerMinute, MINUTE],
    ownership: [config.throttleOwnershipsPerMinute, MINUTE],
    registration: [config.throttleRegistrationsPerHour, 60 * MINUTE],
    /** Each byte counts as one point. */
    registrationBytes: [config.throttleRegistrationBytesPerHour, 60 * MINUTE],
    /** Registrations that send email to one recipient. */
    registrationMail: [config.throttleRegistrationMailsPerDay, 24 * 60 * MINUTE],
    /** Emails about changed credentials. */
    accountMail: [config.throttleAccountMailsPerDay, 24 * 60 * MINUTE],
    token: [config.throttleTokensPerMinute, MINUTE],
    failedPassword: [config.throttleFailedPasswords, 15 * MINUTE],
    newPassword: [config.throttlePasswordChangesPerHour, 60 * MINUTE],
    passwordReset: [config.throttlePasswordResetsPerHour, 60 * MINUTE],
    passwordResetOfUser: [config.throttlePasswordResetsOfUserPerHour, 60 * MINUTE],
    /**
     * Correct and wrong pairs of number and username. The limit is higher than a person needs and too low for guessing.
     */
    managerSearch: [20, 15 * MINUTE],
    /** Codes of devices, correct or not. */
    deviceCode: [20, 15 * MINUTE],
  }) as const satisfies Record<string, readonly [points: number, seconds: number]>;

export type ThrottleScope = keyof ReturnType<typeof limits>;

/** Scopes that count by user. The other scopes count by address. */
const BY_USER: ReadonlySet<ThrottleScope> = new Set(COUNTED_BY_USER);

/** Keys known to be exhausted. Further calls with these keys need no query. */
const MAX_EXHAUSTED = 10_000;

/** Usernames must be from `usernameKey`. An erasure removes the counters of a person: `domain/accounts/erasures.ts`. */
export interface Throttle {
  /**
   * Counts one call in a scope and reports the remaining calls in the response headers.
   * @throws ServiceError `throttled`
   */
  (scope: ThrottleScope, request: FastifyRequest, reply?: FastifyReply): Promise<void>;
  /**
   * Refuses a request, without counting and without a query, if this process knows that its address has no calls left in the
   * scope.
   * @throws ServiceError `throttled`
   */
  requireLeft(scope: ThrottleScope, request: FastifyRequest): void;
  /**
   * Counts the bytes stored by an anonymous registration.
   * @throws ServiceError `throttled`
   */
  registrationBytes(request: FastifyRequest, bytes: number): Promise<void>;
  /**
   * Counts an email to an address, which anyone may have entered.
   * @param recipient result of `recipientHash`
   * @throws ServiceError `throttled`
   */
  registrationMail(recipient: string): Promise<void>;
  /**
   * Counts an email about changed credentials.
   * @param key from `countChangedCredentials`
   * @throws ServiceError `throttled`
   */
  accountMail(key: string): Promise<void>;
  /**
   * Counts a password for a username before it is checked. Parallel attempts therefore cannot exceed the limit.
   * @throws ServiceError `throttled` after too many wrong passwords
   */
  password(username: string, address: string): Promise<void>;
  /**
   * Counts a request for a password reset email, whether or not the username exists. Requests from
   * other addresses do not count, because strangers could use up the limit of a user.
   * @throws ServiceError `throttled`
   */
  passwordReset(username: string, address: string): Promise<void>;
  /** Refunds the point of an attempt with the correct password. */
  passwordSucceeded(username: string, address: string): Promise<void>;
}

/** Counters in PostgreSQL apply to all processes. The embedded database has only one process, so memory suffices. */
export function createThrottle(config: Config, database: Database): Throttle {
  const scopes = limits(config);
  const limiters = new Map(
    Object.entries(scopes).map(([scope, [points, duration]]) => [
      scope,
      database.kind === "embedded"
        ? new RateLimiterMemory({ keyPrefix: scope, points, duration })
        : new RateLimiterPostgres({
            storeClient: database.pool,
            storeType: "pool",
            tableName: "throttle_counters",
            tableCreated: true,
            clearExpiredByTimeout: false,
            keyPrefix: scope,
            points,
            duration,
          }),
    ]),
  );
  const limiterOf = (scope: ThrottleScope) => {
    const limiter = limiters.get(scope);
    if (limiter === undefined) throw new Error(`No limiter ${scope}`);
    return limiter;
  };

  /** End of the window of a key without points, ms since 1970. */
  const exhausted = recentEntries<number>(MAX_EXHAUSTED);
  const requirePoints = (scope: ThrottleScope, key: string) => {
    const leftMs = (exhausted.get(`${scope} ${key}`) ?? 0) - Date.now();
    if (leftMs > 0) throw errors.throttled(leftMs);
  };

  async function consume(scope: ThrottleScope, key: string, points = 1): Promise<RateLimiterRes> {
    requirePoints(scope, key);
    try {
      return await limiterOf(scope).consume(key, points);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      // Only these requests show that no point is left: a request for several points may fail while some points are
      // left, and a password check may refund its point.
      if (points === 1 && scope !== "failedPassword") {
        exhausted.set(`${scope} ${key}`, Date.now() + refused.msBeforeNext);
      }
      throw errors.throttled(refused.msBeforeNext);
    }
  }

  const throttle = async (scope: ThrottleScope, request: FastifyRequest, reply?: FastifyReply) => {
    const caller = request.ctx.caller;
    const key = BY_USER.has(scope) && caller !== null ? userKey(caller.id) : addressKey(request.ip);
    const [points, seconds] = scopes[scope];
    // The headers are lists, because a call may count towards several limits.
    const tell = (name: string, item: string) => {
      const before = reply?.getHeader(name);
      reply?.header(name, before === undefined ? item : `${before}, ${item}`);
    };
    tell("RateLimit-Policy", `"${scope}";q=${points};w=${seconds}`);
    try {
      const { remainingPoints, msBeforeNext } = await consume(scope, key);
      tell("RateLimit", `"${scope}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`);
    } catch (error) {
      tell("RateLimit", `"${scope}";r=0`);
      throw error;
    }
  };

  const byUsername = (username: string, address: string) =>
    `${usernameHash(username)} ${addressKey(address)}`;
  return Object.assign(throttle, {
    requireLeft: (scope: ThrottleScope, { ip }: FastifyRequest) => requirePoints(scope, addressKey(ip)),
    async registrationBytes({ ip }: FastifyRequest, bytes: number) {
      if (bytes > 0) await consume("registrationBytes", addressKey(ip), bytes);
    },
    async registrationMail(recipient: string) {
      await consume("registrationMail", recipient);
    },
    async accountMail(key: string) {
      await consume("accountMail", key);
    },
    async password(username: string, address: string) {
      await consume("failedPassword", byUsername(username, address));
    },
    async passwordReset(username: string, address: string) {
      await consume("passwordResetOfUser", byUsername(username, address));
    },
    async passwordSucceeded(username: string, address: string) {
      await limiterOf("failedPassword").reward(byUsername(username, address));
    },
  });
}
