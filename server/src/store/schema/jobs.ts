/** The job queue. */
import { integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytea, id, instant, reference } from "./columns.js";

export type JobState = "PENDING" | "STARTED" | "SUCCESS" | "FAILURE" | "RETRY" | "REVOKED";

/**
 * Work that runs after the transaction that requested it: bulk loads, emails, webhook deliveries and computations.
 */
export const jobs = pgTable("jobs", {
  id: id(),
  jobId: text("job_id").notNull(),
  kind: text("kind").notNull(),
  /** Account that may see the job; null for jobs of the service itself. */
  accountId: reference("account_id"),
  /** Account charged for the job, for fairness between accounts; 0 for the service itself. */
  chargedTo: reference("charged_to").notNull().default(0),
  /** Keyed hash of the address that caused the job, for fairness between addresses. Empty for the service itself. */
  chargedGroup: text("charged_group").notNull().default(""),
  state: text("state").$type<JobState>().notNull(),
  payload: jsonb("payload").$type<Record<string, unknown>>().notNull(),
  /** Id of the bytes that belong to the payload, see `jobBodies`. Payload and bytes are erased when the job ends. */
  body: text("body"),
  /** Number of these bytes. */
  bodyBytes: integer("body_bytes").notNull().default(0),
  details: jsonb("details").$type<Record<string, unknown>>().notNull(),
  /** At most one job with this key can wait. */
  uniqueKey: text("unique_key"),
  /** Host and port of the receiver that the job calls, for the limit per receiver. */
  receiver: text("receiver"),
  /** Number of failures of the job. */
  failures: integer("failures").notNull().default(0),
  /** Number of workers lost during the job. */
  losses: integer("losses").notNull().default(0),
  dueAt: instant("due_at").notNull(),
  /** Time by the clock of the database, because the clocks of the processes may differ. */
  leaseUntil: instant("lease_until"),
  /** Identifies the lease. A worker that has lost its lease cannot complete the job. */
  leaseToken: text("lease_token"),
  createdAt: instant("created_at").notNull(),
  finishedAt: instant("finished_at"),
});

/** Bytes of jobs, in pieces. The bytes are written before their job, and the job makes them visible. */
export const jobBodies = pgTable(
  "job_bodies",
  {
    body: text("body").notNull(),
    /** Index of the piece, from 0. */
    piece: integer("piece").notNull(),
    bytes: bytea("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.body, table.piece] })],
);
