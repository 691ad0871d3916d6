/** Explains statements with any parameters in PostgreSQL. */
import type pg from "pg";

/** Minimum number of rows of a large table or index. */
const MANY_ROWS = 5_000;

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Node[];
}

/** Matches statements that have a plan. */
const PLANNED = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

/** Explains statements on one database, and finds those that read a whole large table or index. */
export class Plans {
  readonly #client: pg.ClientBase;
  readonly #rows: ReadonlyMap<string, number>;
  /** First column of each index; null for an expression. */
  readonly #leading: ReadonlyMap<string, string | null>;

  private constructor(
    client: pg.ClientBase,
    rows: ReadonlyMap<string, number>,
    leading: ReadonlyMap<string, string | null>,
  ) {
    this.#client = client;
    this.#rows = rows;
    this.#leading = leading;
  }

  static async of(client: pg.ClientBase): Promise<Plans> {
    const { rows } = await client.query<{ name: string; rows: number; leading: string | null }>(`
      SELECT relname AS name, reltuples::float8 AS rows, attname AS leading FROM pg_class
      LEFT JOIN pg_index ON indexrelid = pg_class.oid
      LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE relnamespace = 'public'::regnamespace`);
    return new Plans(
      client,
      new Map(rows.map(({ name, rows }) => [name, rows])),
      new Map(rows.map(({ name, leading }) => [name, leading])),
    );
  }

  /** Returns the reason why a statement is slow with much data, with its plan; undefined if the statement is fast. */
  async problemOf(text: string): Promise<string | undefined> {
    if (!PLANNED.test(text)) return undefined;
    const { rows } = await this.#client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    const found = this.#wholeReads(rows[0]["QUERY PLAN"][0].Plan, false);
    if (found.length === 0) return undefined;
    const plan = await this.#client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const lines = plan.rows.map((row) => row["QUERY PLAN"]).join("\n");
    return `reads all of ${found.join(" and ")}:\n${text}\n${lines}`;
  }

  /** Returns the names of the indexes that a statement uses, each with its condition. */
  async indexesOf(text: string): Promise<Map<string, string>> {
    const { rows } = await this.#client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    const indexesIn = (node: Node): [string, string][] => [
      ...(node["Index Name"] === undefined
        ? []
        : [[node["Index Name"], node["Index Cond"] ?? ""] satisfies [string, string]]),
      ...(node.Plans ?? []).flatMap(indexesIn),
    ];
    return new Map(indexesIn(rows[0]["QUERY PLAN"][0].Plan));
  }

  /** Returns foreign keys of large tables without an index, which would slow down the removal of referenced rows. */
  async referencesWithoutIndex(): Promise<string[]> {
    const { rows } = await this.#client.query<{ name: string; table: string }>(
      `SELECT conname AS name, conrelid::regclass::text AS table FROM pg_constraint
       WHERE contype = 'f' AND confrelid <> 'json_schemas'::regclass AND NOT EXISTS (
         SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1])`,
    );
    return rows.flatMap(({ name, table }) => (this.#isLarge(table) ? [name] : []));
  }

  #isLarge(name: string): boolean {
    return (this.#rows.get(name) ?? 0) > MANY_ROWS;
  }

  /**
   * Returns the tables and indexes that a plan reads completely.
   * @param limited whether only the first rows of the node are needed
   */
  #wholeReads(node: Node, limited: boolean): string[] {
    const within = (node.Plans ?? []).flatMap((plan) =>
      this.#wholeReads(plan, node["Node Type"] === "Limit" || (limited && node["Node Type"] === "LockRows")),
    );
    const table = node["Relation Name"];
    if (node["Node Type"] === "Seq Scan" && table !== undefined && this.#isLarge(table))
      return [table, ...within];
    const index = node["Index Name"];
    if (index === undefined || !this.#isLarge(index)) return within;
    const leading = this.#leading.get(index) ?? null;
    const found = new RegExp(`\\b${leading}\\b( = )?`).exec(node["Index Cond"] ?? "");
    const isSearched = leading === null || found !== null;
    // Rows in the order of ids, after one: if few match the filter, the scan reads all others before it has found enough.
    const isLongSearch = limited && leading === "id" && found?.[1] === undefined;
    const isFast = node.Filter === undefined ? isSearched || limited : isSearched && !isLongSearch;
    return isFast ? within : [index, ...within];
  }
}
