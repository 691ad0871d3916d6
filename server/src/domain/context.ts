import type { Config } from "../config.js";
import type { Queries } from "../store/database.js";
import type { Role } from "../store/schema.js";
import type { AddressLookup } from "./address-lookup.js";
import type { Computer } from "./computer.js";
import type { IdempotentRequest } from "./idempotent-request.js";

/** The time; tests move it. */
export interface Clock {
  now(): Date;
}

/** Who calls, as far as rights depend on it. */
export interface Caller {
  id: number;
  role: Role;
  username: string;
  canCreateManagedAthletes: boolean;
}

/** What every verb of the domain gets first. */
export interface Context {
  queries: Queries;
  clock: Clock;
  config: Config;
  /** Finds the addresses of webhook receivers; tests answer in its place. */
  lookup: AddressLookup;
  /** Encrypts secrets that are stored in the database. */
  serverKey: Uint8Array;
  computer: Computer;
  /** Null without authentication, and for the operator's commands. */
  caller: Caller | null;
  requestId: string;
  /** Counts a password that is to be hashed for the caller. Throws `throttled`. Without a request nothing is counted. */
  countPassword?: () => Promise<void>;
  /** Aborted when the caller leaves before the answer; work that waits for the caller is then not begun. */
  signal?: AbortSignal;
  /** Called after the commit of a transaction that added jobs. */
  jobsAdded(): void;
  /** The entity tags of `If-Match`: the change happens only if the object still has one of them. */
  ifMatch?: string;
  /** The caller asked that this change be made once, however often it is sent. */
  idempotency?: IdempotentRequest;
}
