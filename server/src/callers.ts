import { AsyncLocalStorage } from "node:async_hooks";

/** For whom work is done. The name may change meanwhile: a request is an address's until it is authenticated. */
export interface Caller {
  name: string;
}

/** The service's own work: looking for jobs, renewing leases, and commands of the operator. */
const SERVICE: Readonly<Caller> = { name: "service" };

/** The name of an account. */
export const accountCaller = (id: number): string => `account ${id}`;

/** The name of who is not authenticated, by the key of the address. */
export const addressCaller = (key: string): string => `address ${key}`;

const current = new AsyncLocalStorage<Readonly<Caller>>();

/**
 * Does work for a caller; what it calls and awaits is done for the same caller. The caller is kept in the async context: as
 * a parameter it would have to pass through the query builder.
 * @param caller the service itself unless given
 */
export const onBehalfOf = <T>(caller: Readonly<Caller> | null, work: () => T): T =>
  current.run(caller ?? SERVICE, work);

/** The name of the caller for whom work is being done. */
export const currentCaller = (): string => (current.getStore() ?? SERVICE).name;
