import { and, eq, gt, gte, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { idempotencyKeys } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";

/** Maximum number of responses that one transaction examines, because other transactions wait for it. */
const ROWS_AT_A_TIME = 1_000;

/** Maximum difference between the clocks of two processes. */
const CLOCKS_DIFFER_MS = 60_000;

type Run = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>;

/**
 * Erases responses that are stored for idempotency keys of other accounts and contain a person's data. An account may have
 * millions of responses, so they are examined in transactions of limited size. The last transaction examines only responses added
 * in the meantime.
 */
export class ResponsesNaming {
  readonly #accounts: readonly number[];
  readonly #names: SQL | undefined;
  #sinceMs: number | undefined;

  /**
   * @param accounts accounts whose responses may contain the data
   * @param texts texts that identify the person in a response
   */
  constructor(accounts: readonly number[], texts: readonly string[]) {
    this.#accounts = [...new Set(accounts)];
    const { body } = idempotencyKeys;
    this.#names = or(...texts.map((text) => sql`position(convert_to(${text}, 'UTF8') IN ${body}) > 0`));
  }

  /** Removes the existing responses. */
  async eraseInParts(run: Run): Promise<void> {
    for (const account of this.#accounts) {
      let after: Key | undefined = { path: "", key: "" };
      while (after !== undefined) {
        const from: Key = after;
        after = await run((unit) => this.#erasePart(unit, account, from));
      }
    }
  }

  /** Removes responses stored after `eraseInParts` began. */
  async eraseRest({ queries }: UnitOfWork): Promise<void> {
    if (this.#accounts.length === 0) return;
    const { accountId, createdAt } = idempotencyKeys;
    const since = new Date(this.#sinceMs ?? 0);
    await queries
      .delete(idempotencyKeys)
      .where(and(inArray(accountId, [...this.#accounts]), gte(createdAt, since), this.#names));
  }

  /** @returns the last examined key, when there may be more */
  async #erasePart({ queries, now }: UnitOfWork, account: number, from: Key): Promise<Key | undefined> {
    this.#sinceMs ??= now.getTime() - CLOCKS_DIFFER_MS;
    const { accountId, path, key } = idempotencyKeys;
    const after = or(gt(path, from.path), and(eq(path, from.path), gt(key, from.key)));
    const [last] = await queries
      .select({ path, key })
      .from(idempotencyKeys)
      .where(and(eq(accountId, account), gte(path, from.path), after))
      .orderBy(path, key)
      .offset(ROWS_AT_A_TIME - 1)
      .limit(1);
    const through = last && and(lte(path, last.path), or(sql`${path} < ${last.path}`, lte(key, last.key)));
    await queries
      .delete(idempotencyKeys)
      .where(and(eq(accountId, account), gte(path, from.path), after, through, this.#names));
    return last;
  }
}

interface Key {
  path: string;
  key: string;
}

/** Finds the response to the creation of a managed athlete by the username, which contains a random UUID. */
export const responsesToCreation = ({ username, managedBy }: Pick<Account, "username" | "managedBy">) =>
  new ResponsesNaming(managedBy === null ? [] : [managedBy], [username]);

/**
 * Finds responses to managers that contain the id of the athlete.
 * @param managers accounts with permissions on the athlete, or with time frames of the athlete
 */
export const responsesAbout = ({ id }: Pick<Account, "id">, managers: readonly number[]) =>
  new ResponsesNaming(managers, [`"athlete":${id},`, `"athlete":${id}}`]);
