import type { Config } from "../../config/config.js";
import type { Trace } from "../../observability/trace-context.js";
import type { Queries } from "../../store/connection/database.js";
import type { Role } from "../../store/schema.js";
import type { AddressLookup } from "./address-lookup.js";
import type { ComputePool } from "./compute-pool.js";
import type { IdempotentRequest } from "./idempotent-request.js";

/** The current time; tests change it. */
export interface Clock {
  now(): Date;
}

/** The properties of the caller on which rights depend. */
export interface Caller {
  id: number;
  role: Role;
  username: string;
  canCreateManagedAthletes: boolean;
}

/** The first argument of the functions of the domain. */
export interface Context {
  queries: Queries;
  clock: Clock;
  config: Config;
  /** Resolves the hosts of webhook receivers; tests replace it. */
  lookup: AddressLookup;
  /** Encrypts secrets that are stored in the database. */
  serverKey: Uint8Array;
  computer: ComputePool;
  /** Null without authentication, and for commands of the operator. */
  caller: Caller | null;
  /** Who runs a command of the operator: a user of the operating system. */
  operator?: string;
  /** The hash of the token by which the caller was authenticated. */
  tokenHash?: Uint8Array;
  requestId: string;
  /** The trace of the request or job, for jobs and calls of webhooks that follow. */
  trace?: Trace;
  /** Whether the token or the session of the caller is still valid. Absent outside of requests. */
  isSignedIn?: () => Promise<boolean>;
  /**
   * Whether this is the password of the caller. Counts the attempt, and throws `throttled` after too many. Absent outside of
   * requests.
   */
  isOwnPassword?: (password: string) => Promise<boolean>;
  /** Counts a new password of the caller before it is hashed. Throws `throttled`. Absent outside of requests. */
  countPassword?: () => Promise<void>;
  /** Counts a mail of a registration by the hash of its recipient. Throws `throttled`. Absent outside of requests. */
  countRegistrationMail?: (recipient: string) => Promise<void>;
  /** Aborted when the caller leaves before the response. Work for the caller that has not started is then dropped. */
  signal?: AbortSignal;
  /** Called after the commit of a transaction that added jobs. */
  jobsAdded(): void;
  /** The entity tags of `If-Match`: the change is made only if the object still has one of them. */
  ifMatch?: string;
  /** Set when the request has an idempotency key. */
  idempotency?: IdempotentRequest;
}
