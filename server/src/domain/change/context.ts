import type { Config } from "../../config/config.js";
import type { Trace } from "../../observability/trace-context.js";
import type { Queries } from "../../store/connection/database.js";
import type { Role, Scope } from "../../store/schema.js";
import type { AddressLookup } from "./address-lookup.js";
import type { ComputePool } from "./compute-pool.js";
import type { IdempotentRequest } from "./idempotent-request.js";

/** The current time; tests change it. */
export interface Clock {
  now(): Date;
}

/** The account that makes a call, with the properties that determine its rights. */
export interface AuthenticatedCaller {
  id: number;
  role: Role;
  username: string;
  canCreateManagedAthletes: boolean;
  /** Scopes of a personal token; null for all rights of the account. */
  scopes: readonly Scope[] | null;
}

/** First argument of the functions of the domain. */
export interface Context {
  queries: Queries;
  clock: Clock;
  config: Config;
  /** Resolves the hosts of webhook receivers; tests replace it. */
  lookup: AddressLookup;
  /** Encrypts secrets that are stored in the database. */
  serverKey: Uint8Array;
  computer: ComputePool;
  /** Null for operations that require no authentication and for operator commands. */
  caller: AuthenticatedCaller | null;
  /** User of the operating system who runs a command of the operator. */
  operator?: string;
  /** Hash of the token that authenticated the caller. */
  tokenHash?: Uint8Array;
  requestId: string;
  /** Trace of the request or job, for the resulting jobs and webhook calls. */
  trace?: Trace;
  /**
   * Whether the token or the session of the caller is still valid. Absent outside requests and for operations that require no
   * authentication.
   */
  isSignedIn?: () => Promise<boolean>;
  /**
   * Time of the last check of the token and of the right on the object of the path, ms since 1970 UTC; see `accessRecheck`. Absent
   * like `isSignedIn`.
   */
  checkedMs?: number;
  /** Reads the caller again, in a transaction; undefined if the token is not valid now. Absent like `isSignedIn`. */
  presentCaller?: (queries: Queries) => Promise<AuthenticatedCaller | undefined>;
  /**
   * Whether this is the password of the caller. Counts the attempt, and throws `throttled` after too many. Absent outside
   * requests.
   */
  isOwnPassword?: (password: string) => Promise<boolean>;
  /** Counts a new password of the caller before it is hashed. Throws `throttled`. Absent outside requests. */
  countPassword?: () => Promise<void>;
  /**
   * Counts a registration email by the hash of its recipient. Throws `throttled`. Absent outside
   * requests.
   */
  countRegistrationMail?: (recipient: string) => Promise<void>;
  /** Counts an email about changed credentials by its key. Throws `throttled`. Absent outside requests. */
  countAccountMail?: (key: string) => Promise<void>;
  /** Counts by the address of the caller, like a registration. Throws `throttled`. Absent outside requests. */
  countRegistration?: () => Promise<void>;
  /** Aborted when the client disconnects before the response. Work that has not started is then dropped. */
  signal?: AbortSignal;
  /** Called after the commit of a transaction that added jobs. */
  jobsAdded(): void;
  /** Entity tags of `If-Match`. The change is made only if the object still has one of them. */
  ifMatch?: string;
  /** Set if the request contains an idempotency key. */
  idempotency?: IdempotentRequest;
}
