import type { FastifyReply, FastifyRequest } from "fastify";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Config } from "../config.js";
import { errors } from "../domain/errors.js";
import type { Database } from "../store/database.js";

const MINUTE = 60;

/** The limits: how many points in how many seconds. */
const limits = (config: Config) =>
  ({
    user: [config.throttleUserPerMinute, MINUTE],
    address: [config.throttleAddressPerMinute, MINUTE],
    rawData: [config.throttleRawDataPerMinute, MINUTE],
    files: [config.throttleFilesPerMinute, MINUTE],
    registration: [config.throttleRegistrationsPerHour, 60 * MINUTE],
    token: [config.throttleTokensPerMinute, MINUTE],
    failedPassword: [config.throttleFailedPasswords, 15 * MINUTE],
  }) as const satisfies Record<string, readonly [points: number, seconds: number]>;

export type ThrottleScope = keyof ReturnType<typeof limits>;

/** Where a scope counts: by the caller, else by the client's address. */
const BY_USER: ReadonlySet<ThrottleScope> = new Set(["user", "rawData", "files"]);

export interface Throttle {
  /**
   * Counts one call in a scope and says in the answer's header what is left.
   * @throws ServiceError `throttled`
   */
  (scope: ThrottleScope, request: FastifyRequest, reply?: FastifyReply): Promise<void>;
  /** Counts a wrong password. */
  failedPassword(username: string, address: string): Promise<void>;
  /** @throws ServiceError `throttled` after too many wrong passwords */
  requirePasswordTries(username: string, address: string): Promise<void>;
}

/** Counters in PostgreSQL hold over all processes; the embedded database has one process, so memory will do. */
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

  async function consume(scope: ThrottleScope, key: string): Promise<RateLimiterRes> {
    try {
      return await limiterOf(scope).consume(key);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) throw errors.throttled(refused.msBeforeNext);
      throw refused;
    }
  }

  const throttle = async (scope: ThrottleScope, request: FastifyRequest, reply?: FastifyReply) => {
    const caller = request.ctx.caller;
    const key = BY_USER.has(scope) && caller !== null ? `user-${caller.id}` : request.ip;
    const [points, seconds] = scopes[scope];
    reply?.header("RateLimit-Policy", `"${scope}";q=${points};w=${seconds}`);
    try {
      const { remainingPoints, msBeforeNext } = await consume(scope, key);
      reply?.header("RateLimit", `"${scope}";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`);
    } catch (error) {
      reply?.header("RateLimit", `"${scope}";r=0`);
      throw error;
    }
  };

  const passwordKey = (username: string, address: string) =>
    `${username.toLowerCase().slice(0, 150)} ${address}`;
  return Object.assign(throttle, {
    async failedPassword(username: string, address: string) {
      await limiterOf("failedPassword").penalty(passwordKey(username, address));
    },
    async requirePasswordTries(username: string, address: string) {
      const state = await limiterOf("failedPassword").get(passwordKey(username, address));
      if (state !== null && state.consumedPoints >= scopes.failedPassword[0]) {
        throw errors.throttled(state.msBeforeNext);
      }
    },
  });
}
