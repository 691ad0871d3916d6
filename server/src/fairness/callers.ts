import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

/** The caller for whom work is done. The name can change: a request belongs to an address until it is authenticated. */
export interface Caller {
  name: string;
  /** The address of the client, for a request: using many accounts gives no more turns. */
  readonly group: string;
  /** For a job: the group to which it is charged, see `jobGroupOf`; the jobs that it adds are charged to it too. */
  readonly jobGroup?: string;
}

/** The service itself: looking for jobs, renewing leases, and commands of the operator. */
const SERVICE: Readonly<Caller> = { name: "service", group: "service" };

/** The name of an account. */
export const accountCaller = (id: number): string => `account ${id}`;

/** An unauthenticated caller, identified by address. */
export const addressCaller = (key: string): Caller => ({ name: `address ${key}`, group: `address ${key}` });

/** The caller of a job. All jobs belong to the group of the service. */
export const jobCaller = (account: number | null, jobGroup: string): Caller => ({
  name: account === null ? SERVICE.name : accountCaller(account),
  group: SERVICE.group,
  jobGroup,
});

/** Enough that no two addresses share one. */
const JOB_GROUP_LENGTH = 16;

const current = new AsyncLocalStorage<Readonly<Caller>>();

/**
 * Runs work for a caller. Everything that the work calls and awaits runs for the same caller. The caller is stored in the
 * async context, because it cannot be passed through the query builder as a parameter.
 * @param caller null for the service itself
 */
export const onBehalfOf = <T>(caller: Readonly<Caller> | null, work: () => T): T =>
  current.run(caller ?? SERVICE, work);

/** The group to which the jobs of the service itself are charged. */
const OWN_JOBS = "";

/**
 * The group to which jobs are charged that the caller adds. It is stored with them, so it is a keyed hash of the address: whoever
 * reads the table cannot tell where an account was used.
 */
export function jobGroupOf({ group, jobGroup }: Readonly<Caller>, key: Uint8Array): string {
  if (jobGroup !== undefined) return jobGroup;
  if (group === SERVICE.group) return OWN_JOBS;
  return createHmac("sha256", key).update(group).digest("base64url").slice(0, JOB_GROUP_LENGTH);
}

/** The caller of the current work. */
export const currentCaller = (): Readonly<Caller> => current.getStore() ?? SERVICE;
