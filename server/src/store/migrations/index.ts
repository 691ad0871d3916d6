import ground from "./0001-ground.js";
import jsonSchemas from "./0002-json-schemas.js";
import webhooks from "./0003-webhooks.js";
import samples from "./0004-samples.js";
import computedData from "./0005-computed-data.js";
import firmware from "./0006-firmware.js";
import fairQueue from "./0010-fair-queue.js";
import sessions from "./0020-sessions.js";
import erasure from "./0021-erasure.js";
import sessionNumbers from "./0022-session-numbers.js";
import jobsOfAccounts from "./0023-jobs-of-accounts.js";
import formerOwners from "./0030-former-owners.js";
import lastDayOfPermissions from "./0040-last-day-of-permissions.js";
import answersAsSent from "./0041-answers-as-sent.js";
import pageSessions from "./0042-page-sessions.js";
import passwordResets from "./0043-password-resets.js";
import operators from "./0044-operators.js";
import erasures from "./0045-erasures.js";
import encryptionKeys from "./0046-encryption-keys.js";
import plans from "./0047-plans.js";
import liveConnections from "./0060-live-connections.js";
import unsentEvents from "./0061-unsent-events.js";
import largeResponses from "./0062-large-responses.js";
import knownManagers from "./0075-known-managers.js";
import recomputations from "./0080-recomputations.js";
import type { Migration } from "./migration.js";

/**
 * All migrations in the order in which they are applied. A new one is added below, with the next free number. Its file
 * holds SQL text and imports nothing, so that later changes of the code cannot change it. Then
 * `npm run record-migrations -w server` records its checksum in `checksums.json`; a test fails until that is done.
 * A recorded migration never changes: databases have applied it. What it got wrong, a further one puts right.
 *
 * `sql` serves nearly always. `../migration.ts` describes the two other kinds: statements outside of a transaction
 * (indexes of large tables) and statements that fill data in batches.
 */
export const migrations: readonly Migration[] = [
  { name: "0001-ground", sql: ground },
  { name: "0002-json-schemas", sql: jsonSchemas },
  { name: "0003-webhooks", sql: webhooks },
  { name: "0004-samples", sql: samples },
  { name: "0005-computed-data", sql: computedData },
  { name: "0006-firmware", sql: firmware },
  { name: "0010-fair-queue", sql: fairQueue },
  { name: "0020-sessions", sql: sessions },
  { name: "0021-erasure", sql: erasure },
  { name: "0022-session-numbers", sql: sessionNumbers },
  { name: "0023-jobs-of-accounts", sql: jobsOfAccounts },
  { name: "0030-former-owners", sql: formerOwners },
  { name: "0040-last-day-of-permissions", sql: lastDayOfPermissions },
  { name: "0041-answers-as-sent", sql: answersAsSent },
  { name: "0042-page-sessions", sql: pageSessions },
  { name: "0043-password-resets", sql: passwordResets },
  { name: "0044-operators", sql: operators },
  { name: "0045-erasures", sql: erasures },
  { name: "0046-encryption-keys", sql: encryptionKeys },
  { name: "0047-plans", outsideTransaction: plans },
  { name: "0060-live-connections", sql: liveConnections },
  { name: "0061-unsent-events", sql: unsentEvents },
  { name: "0062-large-responses", outsideTransaction: largeResponses },
  { name: "0075-known-managers", sql: knownManagers },
  { name: "0080-recomputations", sql: recomputations },
];
