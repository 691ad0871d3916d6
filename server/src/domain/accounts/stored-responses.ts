import { and, eq, gt, gte, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { idempotencyKeys } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";

/** Responses that one transaction looks through; others wait for it. */
const ROWS_AT_A_TIME = 1_000;

/** The difference between the clocks of two processes. */
const CLOCKS_DIFFER_MS = 60_000;

type Run = <T>(work: (unit: UnitOfWork) => Promise<T>) => Promise<T>;

/**
 * The responses to idempotency keys of other accounts that name a person. An account may have millions, so they are looked
 * through in transactions of bounded size. The last one examines only those that were added in the meantime.
 */
export class ResponsesNaming {
  readonly #accounts: readonly number[];
  readonly #names: SQL | undefined;
  #sinceMs: number | undefined;

  /**
   * @param accounts whose responses may name the person
   * @param texts    with which they do
   */
  constructor(accounts: readonly number[], texts: readonly string[]) {
    this.#accounts = [...new Set(accounts)];
    const { body } = idempotencyKeys;
    this.#names = or(...texts.map((text) => sql`position(convert_to(${text}, 'UTF8') IN ${body}) > 0`));
  }

  /** Removes those that are there. */
  async eraseInParts(run: Run): Promise<void> {
    for (const account of this.#accounts) {
      let after: Key | undefined = { path: "", key: "" };
      while (after !== undefined) {
        const from: Key = after;
        after = await run((unit) => this.#erasePart(unit, account, from));
      }
    }
  }

  /** Removes those that were stored after `eraseInParts` began. */
  async eraseRest({ queries }: UnitOfWork): Promise<void> {
    if (this.#accounts.length === 0) return;
    const { accountId, createdAt } = idempotencyKeys;
    const since = new Date(this.#sinceMs ?? 0);
    await queries
      .delete(idempotencyKeys)
      .where(and(inArray(accountId, [...this.#accounts]), gte(createdAt, since), this.#names));
  }

  /** @returns the last key that it has examined, when there may be more */
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

/** The stored response to the creation of a managed athlete. Its username holds a random UUID. */
export const responsesToCreation = ({ username, managedBy }: Pick<Account, "username" | "managedBy">) =>
  new ResponsesNaming(managedBy === null ? [] : [managedBy], [username]);

/**
 * Those of managers that name the athlete in a resource.
 * @param managers accounts with permissions on the athlete, or with time frames of the athlete
 */
export const responsesAbout = ({ id }: Pick<Account, "id">, managers: readonly number[]) =>
  new ResponsesNaming(managers, [`"athlete":${id},`, `"athlete":${id}}`]);
