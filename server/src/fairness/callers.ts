import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

/**
 * The account or address for which work runs. The queues distinguish callers by name. The name can change: a request
 * belongs to an address until it is authenticated.
 */
export interface Caller {
  name: string;
  /**
   * Address of the client that sent the request. Accounts used from one address share a group, so using many accounts gives no
   * advantage.
   */
  readonly group: string;
  /** Group charged for the job and for the jobs that it adds; see `jobGroupOf`. */
  readonly jobGroup?: string;
  /** Account charged for the job. */
  readonly chargedTo?: number;
}

/** Caller for work of the service itself, such as polling for jobs, renewing leases and operator commands. */
const SERVICE: Readonly<Caller> = { name: "service", group: "service" };

/** Returns the name of the caller for an account. */
export const accountCaller = (id: number): string => `account ${id}`;

/** Returns an unauthenticated caller, identified by address. */
export const addressCaller = (key: string): Caller => ({ name: `address ${key}`, group: `address ${key}` });

/** Returns the caller of a job. All jobs belong to the group of the service. */
export const jobCaller = (account: number | null, jobGroup: string): Caller => ({
  name: account === null ? SERVICE.name : accountCaller(account),
  group: SERVICE.group,
  jobGroup,
  ...(account === null ? {} : { chargedTo: account }),
});

/** Length of the hash in characters: long enough to avoid collisions. */
const JOB_GROUP_LENGTH = 16;

const current = new AsyncLocalStorage<Readonly<Caller>>();

/**
 * Runs work for a caller. Everything that the work calls and awaits runs for the same caller. The caller is stored in the
 * async context, because it cannot be passed through the query builder as a parameter.
 * @param caller null for the service itself
 */
export const onBehalfOf = <T>(caller: Readonly<Caller> | null, work: () => T): T =>
  current.run(caller ?? SERVICE, work);

/** Group charged for jobs of the service itself. */
const OWN_JOBS = "";

/**
 * Returns the group charged for jobs that the caller adds. The table of jobs stores the group as a keyed hash of the address, so
 * it does not reveal from which address an account was used.
 */
export function jobGroupOf({ group, jobGroup }: Readonly<Caller>, key: Uint8Array): string {
  if (jobGroup !== undefined) return jobGroup;
  if (group === SERVICE.group) return OWN_JOBS;
  return createHmac("sha256", key).update(group).digest("base64url").slice(0, JOB_GROUP_LENGTH);
}

/** Returns the caller of the current work. */
export const currentCaller = (): Readonly<Caller> => current.getStore() ?? SERVICE;
