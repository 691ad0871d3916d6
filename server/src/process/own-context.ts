/**
 * Dependencies of work without a request: jobs and operator commands. Does not load the web framework, which commands do
 * not need.
 */
import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.js";
import type { AddressLookup } from "../domain/change/address-lookup.js";
import { type ComputePool, noComputePool } from "../domain/change/compute-pool.js";
import type { Clock } from "../domain/change/context.js";
import { createLookup } from "../domain/webhooks/call/resolver.js";
import type { OperatorContext } from "../operator/commands.js";
import type { Store } from "../store/open.js";

export const systemLookup = createLookup();

export const systemClock: Clock = { now: () => new Date() };

/** Creates a context for work without a request. */
export function ownContext(
  config: Config,
  store: Store,
  clock: Clock,
  jobsAdded: () => void = () => undefined,
  computer: ComputePool = noComputePool,
  lookup: AddressLookup = systemLookup,
): OperatorContext {
  return {
    database: store.database,
    queries: store.database.queries,
    clock,
    lookup,
    config,
    serverKey: store.serverKey,
    computer,
    caller: null,
    requestId: randomUUID(),
    jobsAdded,
  };
}
