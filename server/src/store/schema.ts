/**
 * Tables for the query builder. The migrations create them, and a test compares the two. The table of the samples is in
 * `samples/chunk-rows.ts`.
 */
export * from "./schema/accounts.js";
export * from "./schema/activities.js";
export * from "./schema/changes.js";
export * from "./schema/devices.js";
export * from "./schema/jobs.js";
export * from "./schema/live.js";
export * from "./schema/secrets.js";
export * from "./schema/squads.js";
export * from "./schema/webhooks.js";
