import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../src/store/connection/database.js";
import { isUnavailable } from "../src/store/connection/database-errors.js";
import { migrate } from "../src/store/migrations/migrate.js";
import { openStore } from "../src/store/open.js";
import { newDatabase, newStore } from "./databases.js";
import { testConfig } from "./test-config.js";

describe.runIf(process.env.TEST_DATABASE === "postgres")("a database session", () => {
  it("writes times in UTC and ISO style, regardless of the settings of the server", async () => {
    const { database, databaseUrl } = await newStore();
    const [row] = (await database.pool.query("SELECT quote_ident(current_database()) AS name")).rows;
    await database.pool.query(`ALTER DATABASE ${row.name} SET TimeZone = 'Asia/Tokyo'`);
    await database.pool.query(`ALTER DATABASE ${row.name} SET DateStyle = 'German'`);
    const other = await openDatabase({ url: databaseUrl ?? "", poolSize: 1 });
    try {
      const { rows } = await other.queries.execute(sql`SELECT '9999-12-31T23:59:59.999Z'::timestamptz AS at`);
      expect(rows).toEqual([{ at: "9999-12-31 23:59:59.999+00" }]);
    } finally {
      await other.close();
    }
  });

  describe("the limits of a session", () => {
    /** The limits are long enough for the other statements of these tests on a busy machine. */
    const MS = 1_000;
    let bounded: Database;
    let other: Database;

    beforeAll(async () => {
      const { database, databaseUrl } = await newDatabase();
      other = database;
      const timeouts = { statementMs: MS, lockMs: MS, idleInTransactionMs: MS };
      bounded = await openDatabase({ url: databaseUrl ?? "", poolSize: 2, timeouts });
      await other.pool.query("CREATE TABLE a (x int)");
      return async () => {
        await bounded.close();
        await other.close();
      };
    });

    it("end a statement that takes too long", async () => {
      await expect(bounded.pool.query("SELECT pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
    });

    it("end a statement that waits too long for a lock", async () => {
      await other.queries.transaction(async (tx) => {
        await tx.execute(sql`LOCK TABLE a`);
        const patient = bounded.pool.query("SET statement_timeout = 0; SELECT * FROM a");
        await expect(patient).rejects.toMatchObject({ code: "55P03" });
      });
    });

    it("end an idle transaction, and the process and the pool continue", async () => {
      const still = bounded.queries.transaction(async (tx) => {
        await tx.execute(sql`INSERT INTO a VALUES (1)`);
        const [session] = (await tx.execute(sql`SELECT pg_backend_pid() AS pid`)).rows;
        const isOpen = sql`SELECT FROM pg_stat_activity WHERE pid = ${session?.pid}`;
        await expect.poll(async () => (await other.queries.execute(isOpen)).rows).toEqual([]);
        await tx.execute(sql`INSERT INTO a VALUES (2)`);
      });
      const error = await still.catch((error: unknown) => error);
      expect(isUnavailable(error)).toBe(true);
      expect((await bounded.pool.query("SELECT * FROM a")).rows).toEqual([]);
    });

    it("do not apply to migrations", async () => {
      const slow = { name: "0001-slow", sql: "SELECT pg_sleep(1.5); CREATE TABLE b (x int)" };
      expect(await migrate(bounded, { migrations: [slow] })).toEqual(["0001-slow"]);
      const { rows } = await bounded.pool.query("SHOW statement_timeout");
      expect(rows).toEqual([{ statement_timeout: "1s" }]);
    });
  });

  it("are taken from the settings of the service", async () => {
    const { databaseUrl } = await newStore();
    const config = { ...testConfig(), databaseUrl, databaseStatementTimeoutMs: 12_345 };
    const store = await openStore(config);
    try {
      const { rows } = await store.database.pool.query(
        "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle",
      );
      expect(rows).toEqual([{ statement: "12345ms", lock: "10s", idle: "1min" }]);
    } finally {
      await store.close();
    }
  });
});
