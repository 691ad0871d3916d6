import { and, eq, gte, inArray, notLike, or, type SQL, sql } from "drizzle-orm";
import { idempotencyKeys } from "../../store/schema.js";
import type { UnitOfWork } from "../change/unit-of-work.js";
import type { Account } from "./find.js";

/** Maximum number of responses that one transaction examines, because other transactions wait for it. */
const ROWS_AT_A_TIME = 1_000;

/** Number of bytes after which it examines no further response. The database compresses thousands of MiB to a few. */
const BYTES_AT_A_TIME = 8 * 1024 ** 2;

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
  readonly #read: SQL;
  #sinceMs: number | undefined;

  /**
   * @param accounts accounts whose responses may contain the data
   * @param names whether a response contains the data
   * @param read number of bytes of a response that `names` reads
   */
  constructor(accounts: readonly number[], names: SQL | undefined, read: SQL) {
    this.#accounts = [...new Set(accounts)];
    this.#names = names;
    this.#read = read;
  }

  /** Removes the existing responses. If it runs again, `eraseRest` examines only responses added since then. */
  async eraseInParts(run: Run): Promise<void> {
    if (this.#accounts.length === 0) return;
    for (const account of await run((unit) => this.#withResponses(unit))) {
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

  /** Returns the accounts that have responses; usually few of them. */
  async #withResponses({ queries, now }: UnitOfWork): Promise<number[]> {
    this.#sinceMs = now.getTime() - CLOCKS_DIFFER_MS;
    const { rows } = await queries.execute<{ id: string }>(sql`
      SELECT id FROM unnest(${sql.param(this.#accounts)}::bigint[]) AS account (id)
      WHERE EXISTS (SELECT FROM ${idempotencyKeys} WHERE ${idempotencyKeys.accountId} = id)`);
    return rows.map(({ id }) => Number(id));
  }

  /** @returns the last examined key, when there may be more */
  async #erasePart({ queries }: UnitOfWork, account: number, from: Key): Promise<Key | undefined> {
    const { accountId, path, key } = idempotencyKeys;
    const after = sql`(${path}, ${key}) > (${from.path}, ${from.key})`;
    const inOrder = sql`OVER (ORDER BY ${path}, ${key})`;
    const next = queries
      .select({
        path,
        key,
        place: sql`row_number() ${inOrder}`.as("place"),
        bytes: sql`sum(${this.#read}) ${inOrder}`.as("bytes"),
      })
      .from(idempotencyKeys)
      .where(and(eq(accountId, account), after))
      .orderBy(path, key)
      .limit(ROWS_AT_A_TIME)
      .as("next");
    const [last] = await queries
      .select({ path: next.path, key: next.key })
      .from(next)
      .where(or(gte(next.place, ROWS_AT_A_TIME), gte(next.bytes, BYTES_AT_A_TIME)))
      .orderBy(next.path, next.key)
      .limit(1);
    const through = last && sql`(${path}, ${key}) <= (${last.path}, ${last.key})`;
    await queries.delete(idempotencyKeys).where(and(eq(accountId, account), after, through, this.#names));
    return last;
  }
}

interface Key {
  path: string;
  key: string;
}

const contains = (text: string, body: SQL) => sql`position(convert_to(${text}, 'UTF8') IN ${body}) > 0`;

/** Maximum number of bytes before the end of the username in an athlete. A picture of 2 MiB may follow. */
const USERNAME_WITHIN_BYTES = 200;

/** Finds the response to the creation of a managed athlete by the username, which contains a random UUID. */
export const responsesToCreation = ({ username, managedBy }: Pick<Account, "username" | "managedBy">) =>
  new ResponsesNaming(
    managedBy === null ? [] : [managedBy],
    contains(username, sql`substring(${idempotencyKeys.body} FOR ${USERNAME_WITHIN_BYTES})`),
    sql`${USERNAME_WITHIN_BYTES}::int`,
  );

/**
 * Finds responses to managers that contain the id of the athlete.
 * @param managers accounts with permissions on the athlete, or with time frames of the athlete
 */
export const responsesAbout = ({ id }: Pick<Account, "id">, managers: readonly number[]) => {
  const { path, body } = idempotencyKeys;
  const texts = [`"athlete":${id},`, `"athlete":${id}}`];
  // A new activity has up to 5 MiB, a new athlete 2 MiB, and their responses contain no id under this name.
  const isRead = and(notLike(path, "%/activities/"), notLike(path, "%/create-managed/"));
  return new ResponsesNaming(
    managers,
    and(isRead, or(...texts.map((text) => contains(text, sql`${body}`)))),
    // Reads the sizes of the bodies, not the bodies.
    sql`CASE WHEN ${isRead} THEN octet_length(${body}) ELSE 0 END`,
  );
};
