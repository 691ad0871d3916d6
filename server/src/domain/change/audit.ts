import { and, asc, eq, gte, sql } from "drizzle-orm";
import type { Config } from "../../config/config.js";
import type { Queries } from "../../store/connection/database.js";
import { lockInTransaction } from "../../store/connection/transaction-lock.js";
import { auditLog } from "../../store/schema.js";
import { auditedRow } from "./audited-row.js";
import { addBytesOfDay, bytesOfDay, DAY_MS, dayOf } from "./daily-bytes.js";
import type { AuditedChange } from "./unit-of-work.js";

/** Size of a row in bytes, without its values: its fixed columns and its index entries. */
const ROW_BYTES = 256;

/** Number of entries that one statement writes, because other requests wait while their text is made. */
const ENTRIES_AT_A_TIME = 500;

/** The row that counts the summarised entries of one account and day. */
const SUMMARY = { operation: "summarised", entity: "audit" } as const;

/** Author, time and operation of the changes of a transaction. */
export interface Author {
  now: Date;
  /** Null for the operator, a registration and the service itself. */
  accountId: number | null;
  /** The author, or the account charged for a job. Null: the entries are never summarised. */
  chargedTo: number | null;
  operation: string;
  requestId: string;
  operator: string | null;
}

/**
 * Writes the audit entries of one transaction. An account can make any number of changes, so the bytes that it adds per day are
 * limited: above `AUDIT_BYTES_PER_DAY`, one row counts the further entries. Its jobs have a limit of the same size, because one
 * change can cause many jobs, and its own changes must still have rows.
 */
export class AuditWriter {
  readonly #queries: Queries;
  readonly #config: Config;
  readonly #author: Author;
  readonly #day: number;
  #written = 0;
  /** Number of entries without a row, by operation and entity. */
  #summarised = new Map<string, number>();

  constructor(queries: Queries, config: Config, author: Author) {
    this.#queries = queries;
    this.#config = config;
    this.#author = author;
    this.#day = dayOf(author.now);
  }

  /** Writes entries of one kind. Counts those that do not fit into the rest of the day. */
  async add(entity: string, changes: readonly AuditedChange[]): Promise<void> {
    for (let at = 0; at < changes.length; at += ENTRIES_AT_A_TIME)
      await this.#addSome(entity, changes.slice(at, at + ENTRIES_AT_A_TIME));
  }

  async #addSome(entity: string, changes: readonly AuditedChange[]): Promise<void> {
    const { accountId, now, operation, requestId, operator } = this.#author;
    const texts: string[] = [];
    for (const { id, before = null, after = null } of changes) {
      if (this.#isDayFull) break;
      const text = JSON.stringify({ id, before: auditedRow(before), after: auditedRow(after) });
      this.#written += text.length + ROW_BYTES;
      texts.push(text);
    }
    if (texts.length < changes.length) {
      const kind = `${operation} ${entity}`;
      this.#summarised.set(kind, (this.#summarised.get(kind) ?? 0) + changes.length - texts.length);
    }
    if (texts.length === 0) return;
    const rows = `[${texts.join(",")}]`;
    // Use a single JSON parameter, because one parameter per value is several times slower in the query builder and the
    // database.
    await this.#queries.execute(sql`
      INSERT INTO audit_log (at, account_id, operation, entity, entity_id, before, after, request_id, operator)
      SELECT ${now}, ${accountId}::bigint, ${operation}, ${entity}, id, before, after, ${requestId}, ${operator}::text
      FROM jsonb_to_recordset(${rows}::jsonb) AS changed (id bigint, before jsonb, after jsonb)`);
  }

  get #isDayFull(): boolean {
    const { chargedTo, now } = this.#author;
    if (chargedTo === null) return false;
    return (
      bytesOfDay(this.#config, this.#kind, chargedTo, now) + this.#written >= this.#config.auditBytesPerDay
    );
  }

  get #kind() {
    return this.#author.accountId === null ? "audit of jobs" : "audit";
  }

  /** Call it at the end of the transaction, because other transactions of the account then wait for the row. */
  async finish(): Promise<void> {
    const { chargedTo, now, requestId, operator } = this.#author;
    if (chargedTo === null || this.#summarised.size === 0) return;
    await lockInTransaction(this.#queries, `audit_log ${chargedTo}`);
    const [row] = await this.#queries
      .select({ id: auditLog.id, after: auditLog.after })
      .from(auditLog)
      .where(
        and(
          eq(auditLog.operation, SUMMARY.operation),
          eq(auditLog.entity, SUMMARY.entity),
          eq(auditLog.entityId, chargedTo),
          gte(auditLog.at, new Date(this.#day * DAY_MS)),
        ),
      )
      .orderBy(asc(auditLog.id))
      .limit(1);
    const after = this.#summary(row?.after ?? null);
    if (row !== undefined) {
      await this.#queries.update(auditLog).set({ after }).where(eq(auditLog.id, row.id));
      return;
    }
    await this.#queries
      .insert(auditLog)
      .values({ at: now, accountId: chargedTo, ...SUMMARY, entityId: chargedTo, after, requestId, operator });
  }

  /** Call it after the commit, because a rolled-back transaction adds no bytes. */
  committed(): void {
    const { chargedTo } = this.#author;
    if (chargedTo === null || this.#written === 0) return;
    addBytesOfDay(this.#config, this.#kind, chargedTo, this.#author.now, this.#written);
  }

  #summary(before: Record<string, unknown> | null): Record<string, unknown> {
    const changes: Record<string, number> = { ...(before?.changes as Record<string, number> | undefined) };
    for (const [kind, count] of this.#summarised) changes[kind] = (changes[kind] ?? 0) + count;
    return {
      entries: Object.values(changes).reduce((sum, count) => sum + count, 0),
      changes,
      until: this.#author.now.toISOString(),
    };
  }
}
