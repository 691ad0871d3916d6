import { AsyncLocalStorage } from "node:async_hooks";

/** The caller for whom work is done. The name can change: a request belongs to an address until it is authenticated. */
export interface Caller {
  name: string;
  /** The address of the client, for a request: using many accounts gives no more turns. */
  readonly group: string;
}

/** The service itself: looking for jobs, renewing leases, and commands of the operator. */
const SERVICE: Readonly<Caller> = { name: "service", group: "service" };

/** The name of an account. */
export const accountCaller = (id: number): string => `account ${id}`;

/** An unauthenticated caller, identified by address. */
export const addressCaller = (key: string): Caller => ({ name: `address ${key}`, group: `address ${key}` });

/** The caller of a job. All jobs belong to the group of the service. */
export const jobCaller = (account: number): Caller => ({
  name: accountCaller(account),
  group: SERVICE.group,
});

const current = new AsyncLocalStorage<Readonly<Caller>>();

/**
 * Runs work for a caller. Everything that the work calls and awaits runs for the same caller. The caller is stored in the
 * async context, because it cannot be passed through the query builder as a parameter.
 * @param caller null for the service itself
 */
export const onBehalfOf = <T>(caller: Readonly<Caller> | null, work: () => T): T =>
  current.run(caller ?? SERVICE, work);

/** The caller of the current work. */
export const currentCaller = (): Readonly<Caller> => current.getStore() ?? SERVICE;
