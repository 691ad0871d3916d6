/** Tests the export and the erasure of an athlete whom very many rows of the audit log name. */
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { eraseInParts, ofPerson, relationsTo } from "../src/domain/accounts/erase.js";
import { findAthlete } from "../src/domain/accounts/find.js";
import { transact } from "../src/domain/change/change.js";
import { auditOf } from "../src/domain/exports/athlete-rows.js";
import { queriesOf } from "../src/store/connection/database.js";
import { auditLog } from "../src/store/schema.js";
import { service, type TestService } from "./service.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

/** Adds rows to the log. Every fourth names another athlete. @returns the id of the athlete whom the others name */
async function athleteInRows(count: number): Promise<number> {
  const [athlete, other] = [(await s.athlete()).id, (await s.athlete()).id];
  await s.store.database.queries.execute(sql`
    INSERT INTO audit_log (at, operation, entity, entity_id, after, request_id)
    SELECT now(), 'updateTimeframe', 'timeframe', n,
      jsonb_build_object('athleteId', CASE WHEN n % 4 = 0 THEN ${other}::bigint ELSE ${athlete}::bigint END), 'r'
    FROM generate_series(1, ${count}::int) AS n`);
  return athlete;
}

const namedIn = (count: number) => Array.from({ length: count }, (_, i) => i + 1).filter((n) => n % 4 > 0);

/** Returns queries that record their statements. */
function listening() {
  const sent: string[] = [];
  const queries = queriesOf(s.store.database.pool, { logQuery: (text) => void sent.push(text) });
  return { queries, sent };
}

describe("the audited changes in an archive", () => {
  it.each([
    [60_000, 0],
    [80_000, 4],
  ])(
    "of %d that mostly name the athlete: all, in order; the log is read in parts of 20,000 if more than 50,000 do",
    async (count, parts) => {
      const id = await athleteInRows(count);
      const { queries, sent } = listening();
      const account = await findAthlete(id, { queries, lock: false });
      let counted = 0;
      let text = "";
      for await (const part of auditOf({ ...s.ctx, queries }, account, () => void counted++)) text += part;
      const entries: { entity: string; entity_id: number }[] = JSON.parse(text);
      expect(counted).toBe(entries.length);
      const named = entries.filter(({ entity }) => entity === "timeframe");
      expect(named.map((row) => row.entity_id)).toEqual(namedIn(count));
      expect(
        sent.filter((sql) => sql.includes("&&") && !/limit \$/i.test(sql) && !sql.includes("looked_through")),
      ).toEqual([]);
      const looking = sent.filter((sql) => sql.includes("looked_through")).length;
      expect(looking).toBeGreaterThanOrEqual(parts);
      expect(looking > 0).toBe(parts > 0);
    },
  );
});

it("the rows that name an athlete are found with the index, even if most of the log names the athlete", async () => {
  const { names } = relationsTo(await athleteInRows(80_000));
  const { queries } = s.store.database;
  await queries.execute(sql`ANALYZE audit_log`);
  const { rows } = await queries.execute(sql`EXPLAIN SELECT id FROM audit_log WHERE ${names} LIMIT 1000`);
  expect(JSON.stringify(rows)).toContain("audit_log_people");
});

it("an erasure searches the names of an athlete once for 50,000 rows, and erases 1,000 of them at a time", async () => {
  const id = await athleteInRows(80_000);
  const { queries, sent } = listening();
  let transactions = 0;
  await eraseInParts((work) => {
    transactions++;
    return transact({ ...s.ctx, queries }, "test", work);
  }, ofPerson({ id }));
  expect(transactions).toBeGreaterThanOrEqual(60);
  // The last search finds nothing.
  expect(sent.filter((text) => text.includes("&&"))).toHaveLength(3);
  expect(await queries.$count(auditLog, sql`after->>'athleteId' = ${String(id)}`)).toBe(0);
  expect(
    await queries.$count(auditLog, sql`entity = 'timeframe' AND after IS NOT NULL`),
  ).toBeGreaterThanOrEqual(20_000);
});
