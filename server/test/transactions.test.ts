/**
 * Tests that a transaction is retried if PostgreSQL aborts it because of another one; the embedded database has only one session.
 */
import { EventEmitter, once } from "node:events";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { transact } from "../src/domain/change/change.js";
import { accounts, auditLog } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { type TestAccount, TestService } from "./service.js";

describe.runIf(process.env.TEST_DATABASE === "postgres")("concurrent transactions", () => {
  let s: TestService;

  beforeAll(async () => {
    s = await TestService.start(await newStore());
    return async () => s.store.close();
  });

  /** Returns a function that lets two transactions continue when both have called it. Later ones do not wait. */
  function meetingOfTwo(): () => Promise<void> {
    let arrived = 0;
    const both = new EventEmitter();
    return async () => {
      arrived += 1;
      if (arrived === 1) await once(both, "arrived");
      else both.emit("arrived");
    };
  }

  const heightOf = async ({ id }: TestAccount) =>
    (await s.store.database.queries.select().from(accounts).where(eq(accounts.id, id)))[0]?.heightM;
  const audited = (operation: string) =>
    s.store.database.queries.$count(auditLog, eq(auditLog.operation, operation));
  const grow = { heightM: sql`coalesce(${accounts.heightM}, 0) + 1` };

  it("are both committed once if they wait for each other", async () => {
    const [one, two] = [await s.manager(), await s.manager()];
    const meet = meetingOfTwo();
    let tries = 0;
    const lock = (first: TestAccount, then: TestAccount) =>
      transact(s.ctx, "deadlock", async ({ queries, audit }) => {
        tries += 1;
        await queries.update(accounts).set(grow).where(eq(accounts.id, first.id));
        await meet();
        await queries.update(accounts).set(grow).where(eq(accounts.id, then.id));
        await audit("account", first.id, null, {});
      });
    await Promise.all([lock(one, two), lock(two, one)]);
    // The retry can lock its first row before the waiting transaction locks it. Then they conflict again.
    expect(tries).toBeGreaterThanOrEqual(3);
    expect([await heightOf(one), await heightOf(two)]).toEqual([2, 2]);
    expect(await audited("deadlock")).toBe(2);
  });

  it("are both committed once if each changes rows that the other has read", async () => {
    const one = await s.manager();
    const meet = meetingOfTwo();
    let tries = 0;
    const add = () =>
      transact(s.ctx, "serialization", async ({ queries, audit }) => {
        tries += 1;
        await queries.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
        const [row] = await queries.select().from(accounts).where(eq(accounts.id, one.id));
        await meet();
        await queries
          .update(accounts)
          .set({ heightM: (row?.heightM ?? 0) + 1 })
          .where(eq(accounts.id, one.id));
        await audit("account", one.id, null, {});
      });
    await Promise.all([add(), add()]);
    expect(tries).toBe(3);
    expect(await heightOf(one)).toBe(2);
    expect(await audited("serialization")).toBe(2);
  });

  it("return the last error and leave no changes if they fail at each attempt", async () => {
    const refused = transact(s.ctx, "hopeless", async ({ queries, audit }) => {
      await audit("account", 1, null, {});
      await queries.execute(sql`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`);
    });
    await expect(refused).rejects.toMatchObject({ cause: { code: "40P01" } });
    expect(await audited("hopeless")).toBe(0);
  });
});
