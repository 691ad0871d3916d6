import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Config } from "../../config/config.js";
import { Tally } from "../../fairness/tally.js";
import { OWN_GROUP } from "../../store/queue/job-queue.js";
import { jobs } from "../../store/schema.js";
import type { Context } from "../change/context.js";
import { errors } from "../change/errors.js";

/** Maximum number of waiting recordings of the largest size, per account and per address. */
const WAITING_OF_ONE_ACCOUNT = 8;
const WAITING_OF_ONE_ADDRESS = 16;

/** Time that a worker takes to load a large recording. */
const RETRY_AFTER_MS = 10_000;

/** Bytes that this process is writing, by account and by group. */
const writingOf = new WeakMap<Config, Tally<string>>();

/** Space for the bytes of one recording while they are written. */
export interface WaitingBytes {
  /**
   * Reserves space for further bytes.
   * @throws ServiceError `throttled` when too many bytes of the account or of the address wait
   */
  add(bytes: number): Promise<void>;
  /** Releases the space. Call it when the job has been stored or could not be stored. */
  release(): void;
}

/**
 * Counts the bytes of a recording while they are written. Otherwise clients that upload faster than workers load could
 * fill the database. An account without waiting recordings can always load one.
 * @param group address of the client, see `jobGroupOf`
 */
export function countWaiting({ queries, config }: Context, account: number, group: string): WaitingBytes {
  const writing = writingOf.get(config) ?? new Tally<string>();
  writingOf.set(config, writing);
  const limits: [key: string, limit: number, condition: SQL][] = [
    [`account ${account}`, WAITING_OF_ONE_ACCOUNT, eq(jobs.chargedTo, account)],
  ];
  if (group !== OWN_GROUP) {
    limits.push([`group ${group}`, WAITING_OF_ONE_ADDRESS, eq(jobs.chargedGroup, group)]);
  }
  let own = 0;
  const count = (bytes: number) => {
    own += bytes;
    for (const [key] of limits) writing.add(key, bytes);
  };
  return {
    async add(bytes) {
      count(bytes);
      for (const [key, limit, condition] of limits) {
        // Read this before the query. A job added in between is then counted twice instead of not at all.
        const writingBytes = writing.get(key);
        const [stored] = await queries
          .select({ bytes: sql<number>`coalesce(sum(${jobs.bodyBytes}), 0)::float8` })
          .from(jobs)
          .where(and(isNotNull(jobs.body), condition));
        const all = (stored?.bytes ?? 0) + writingBytes;
        if (all > limit * config.bulkLoadMaxBytes && all > own) throw errors.throttled(RETRY_AFTER_MS);
      }
    },
    release: () => count(-own),
  };
}
