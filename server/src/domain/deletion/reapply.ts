import { asc, gt } from "drizzle-orm";
import {
  appendErasures,
  type Erasure,
  erasureListOf,
  personHash,
  readErasures,
} from "../../store/backup/erasure-list.js";
import { whileNoneErases } from "../../store/connection/advisory-lock.js";
import type { Database } from "../../store/connection/database.js";
import { accounts, erasures } from "../../store/schema.js";
import type { Account } from "../accounts/find.js";
import type { Context } from "../change/context.js";
import { deleteAccountById, isGone } from "./account.js";
import { type ErasureProof, eraseForOperator } from "./erase.js";

/** Number of accounts in one read. */
const BATCH = 5_000;

/** Number of erasures in the list, and number of accounts erased again. */
export interface Reapplied {
  listed: number;
  erased: number;
  /**
   * Number of recordings that wait to be loaded or are still being streamed and may add erased samples again, counted for each
   * account.
   */
  waiting: number;
}

/**
 * Erases accounts on the erasure list again that a restored backup contains. The list and the database then contain the same
 * entries, so a new list or the list of another machine is complete too. Without a restore, this only reads the list and makes
 * one query for all erasures. After a restore, one process erases while the others wait. They continue if it ends early.
 * @param file file of the list; default: the one in the settings
 * @throws UsageError when the list cannot be read or written
 */
export async function reapplyErasures(
  ctx: Context & { database: Database },
  file: string = erasureListOf(ctx.config),
): Promise<Reapplied> {
  const listed = await readErasures(file);
  let { recorded, missing } = await compare(ctx, listed);
  let again = { erased: 0, waiting: 0 };
  if (missing.size > 0) {
    await whileNoneErases(ctx.database, async () => {
      ({ recorded, missing } = await compare(ctx, listed));
      if (missing.size > 0) again = await eraseListed(ctx, missing);
      for (const { person, at, kind } of missing.values()) {
        await ctx.queries.insert(erasures).values({ person, at, kind }).onConflictDoNothing();
      }
    });
  }
  await appendErasures(erasureListOf(ctx.config), [...recorded, ...missing.values()]);
  return { listed: listed.length, ...again };
}

/** @returns erasures in the database, and, by person, erasures that only the list contains */
async function compare({ queries }: Context, listed: readonly Erasure[]) {
  const missing = new Map(listed.map((entry) => [entry.person, entry]));
  const recorded = await queries.select().from(erasures).orderBy(asc(erasures.id));
  for (const { person } of recorded) missing.delete(person);
  return { recorded, missing };
}

async function eraseListed(
  ctx: Context,
  missing: ReadonlyMap<string, Erasure>,
): Promise<Omit<Reapplied, "listed">> {
  const again = { erased: 0, waiting: 0 };
  for (let after = 0; ; ) {
    const batch = await ctx.queries
      .select({ id: accounts.id, createdAt: accounts.createdAt, role: accounts.role })
      .from(accounts)
      .where(gt(accounts.id, after))
      .orderBy(accounts.id)
      .limit(BATCH);
    for (const account of batch) {
      const entry = missing.get(personHash(account));
      const rows = entry && (await eraseAgain(ctx, account, entry));
      if (rows === undefined) continue;
      again.erased++;
      again.waiting += rows.recordings_waiting ?? 0;
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return again;
    after = last.id;
  }
}

/** @returns undefined when the account no longer exists: deleted with its manager, or erased by another process */
async function eraseAgain(
  ctx: Context,
  { id, role }: Pick<Account, "id" | "role">,
  { kind }: Erasure,
): Promise<ErasureProof["rows"] | undefined> {
  try {
    if (kind !== "deleted" && role === "ATHLETE")
      return (await eraseForOperator(ctx, id, { samples: kind === "erased with samples" })).rows;
    await deleteAccountById(ctx, id);
    return {};
  } catch (error) {
    if (await isGone(ctx.queries, id, error)) return undefined;
    throw error;
  }
}
