/** Logs of what has changed: for operators, for repeated requests, for clients that follow changes, and for backups. */
import {
  bigserial,
  customType,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { bytea, id, instant, reference } from "./columns.js";

/** Id of a transaction, as text, because JavaScript numbers have fewer bits. */
const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/** Log of changes. Rows outlive the objects that they describe, so there are no foreign keys. */
export const auditLog = pgTable("audit_log", {
  id: id(),
  at: instant("at").notNull(),
  /** Null for the operator, for a registration and for the service itself. */
  accountId: reference("account_id"),
  operation: text("operation").notNull(),
  entity: text("entity").notNull(),
  entityId: reference("entity_id").notNull(),
  before: jsonb("before").$type<Record<string, unknown>>(),
  after: jsonb("after").$type<Record<string, unknown>>(),
  requestId: text("request_id").notNull(),
  /** User of the operating system who ran the command; null for other changes. */
  operator: text("operator"),
});

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: reference("account_id").notNull(),
    path: text("path").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of the method, the path with its query, and the body. */
    fingerprint: bytea("fingerprint").notNull(),
    /** Response as sent. */
    status: smallint("status"),
    headers: jsonb("headers").$type<Record<string, string>>(),
    body: bytea("body"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.path, table.key] })],
);

/** Subject of a change: samples of a device, or an object. */
export type ChangeKind = "samples" | "session" | "figures" | "squad" | "athlete";

/** Kind of the row with the position of the last change of an account that was removed because there were too many. */
export const PRUNED = "pruned";

/** Objects that an account must read again; see `domain/change-log/`. Rows outlive accounts and objects. */
export const changes = pgTable(
  "changes",
  {
    accountId: reference("account_id").notNull(),
    kind: text("kind").$type<ChangeKind | typeof PRUNED>().notNull(),
    objectId: reference("object_id").notNull(),
    /** Days since 1970 of samples; otherwise 0. */
    day: integer("day").notNull().default(0),
    /** Changed times of the day, ms since 1970 UTC; the end is exclusive. */
    fromMs: reference("from_ms"),
    toMs: reference("to_ms"),
    /** Transaction of the last change. */
    xid: transactionId("xid").notNull(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    changedAt: instant("changed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.kind, table.objectId, table.day] })],
);

/** Parts of the history of the database in which cursors of changes are valid. */
export const changeEpochs = pgTable("change_epochs", {
  id: uuid("id").primaryKey(),
  /** Identifies the database and its history. */
  history: text("history").notNull(),
  /** Changes up to this transaction may have been removed. */
  prunedThrough: transactionId("pruned_through").notNull(),
  begunAt: instant("begun_at").notNull(),
});

/** Kind of erasure: an account deleted with its data, or every trace of the person erased. */
export type ErasureKind = "deleted" | "erased" | "erased with samples";

/** Erased accounts; see `store/backup/erasure-list.ts`. */
export const erasures = pgTable("erasures", {
  id: id(),
  /** Hash of the account, without personal data. */
  person: text("person").notNull(),
  at: instant("at").notNull(),
  kind: text("kind").$type<ErasureKind>().notNull(),
});
