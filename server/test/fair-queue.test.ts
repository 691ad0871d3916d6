/** Tests that many requests of one caller in the database pool do not delay a request of another. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountCaller, onBehalfOf } from "../src/fairness/callers.js";
import { newDatabase, newStore } from "./databases.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity, Team } from "./team.js";

const MANY = 120;

describe("the connection pool", () => {
  it("gives the last caller a connection before the hundredth request of another", async () => {
    const { database } = await newDatabase();
    const order: string[] = [];
    const query = (caller: string) =>
      onBehalfOf({ name: caller, group: caller }, async () => {
        await database.queries.execute("SELECT 1");
        order.push(caller);
      });
    // Open all connections first, because opening one takes longer than many of these queries.
    await Promise.all(Array.from({ length: MANY }, (_, i) => query(`early ${i}`)));
    order.length = 0;
    await Promise.all([...Array.from({ length: MANY }, () => query("busy")), query("late")]);
    await database.close();
    expect(order).toHaveLength(MANY + 1);
    expect(order.indexOf("late")).toBeLessThan(100);
  });

  it("serves queries after failed transactions, and releases the slots of these transactions", async () => {
    const { database } = await newDatabase();
    const failing = Array.from({ length: MANY }, () =>
      onBehalfOf({ name: "failing", group: "failing" }, () =>
        database.queries.transaction((tx) => tx.execute("SELECT 1/0")),
      ),
    );
    for (const { status } of await Promise.allSettled(failing)) expect(status).toBe("rejected");
    const { rows } = await database.queries.execute("SELECT 1 AS one");
    await database.close();
    expect(rows).toEqual([{ one: 1 }]);
  });
});

describe("requests", () => {
  let s: TestService;
  let busy: TestAccount;
  let late: TestAccount;

  beforeAll(async () => {
    s = await TestService.start(await newStore());
    [busy, late] = [await s.manager(), await s.manager()];
  });

  afterAll(async () => {
    await s.stop();
    await s.store.close();
  });

  it("a change of one account does not wait for changes of another account", async () => {
    // The changes are slow enough to wait for the database.
    await s.store.database.pool.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE ON activities FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    const rename = async (manager: TestAccount, activity: number) => {
      const path = `/api/v1/activities/${activity}/`;
      const { status } = await s.send("PATCH", path, { token: manager.token, json: { name: "Match" } });
      expect(status).toBe(200);
    };
    const crowded = await newActivity(s, busy);
    const quiet = await newActivity(s, late);
    let answered = 0;
    const many = Array.from({ length: MANY }, () => rename(busy, crowded).then(() => answered++));
    await rename(late, quiet);
    const before = answered;
    await Promise.all(many);
    expect(answered).toBe(MANY);
    expect(before).toBeLessThan(MANY / 2);
  });

  it("a job does not wait for queries of the account whose request woke the worker", async () => {
    const team = await Team.of(s);
    const { id } = (await team.create()).body;
    await s.runJobs();
    const { status } = await s.send("PATCH", `/api/v1/timeframes/${id}/`, {
      token: team.manager.token,
      json: { params: { max_hr: 191 } },
    });
    expect(status).toBe(200);
    let answered = 0;
    const { many, before } = await onBehalfOf(
      { name: accountCaller(busy.id), group: "address" },
      async () => {
        const many = Array.from({ length: 3 * MANY }, async () => {
          await s.store.database.pool.query("SELECT pg_sleep(0.01)");
          answered += 1;
        });
        await s.runJobs();
        return { many, before: answered };
      },
    );
    await Promise.all(many);
    expect(before).toBeLessThan(1.5 * MANY);
  });
});
