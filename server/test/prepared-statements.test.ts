import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newStore } from "./databases.js";

type Store = Awaited<ReturnType<typeof newStore>>;
let store: Store;

beforeAll(async () => {
  store = await newStore();
});

afterAll(async () => {
  await store.close();
});

const timesPrepared = "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement = $1";

describe("statements with parameters", () => {
  it("are parsed once per connection for all callers", async () => {
    const client = await store.database.pool.connect();
    try {
      const text = "SELECT $1::int + 1 AS next";
      expect((await client.query(text, [1])).rows).toEqual([{ next: 2 }]);
      expect((await client.query({ text, values: [2] })).rows).toEqual([{ next: 3 }]);
      expect((await client.query({ text, rowMode: "array" }, [3])).rows).toEqual([[4]]);
      expect((await client.query(timesPrepared, [text])).rows).toEqual([{ count: 1 }]);
    } finally {
      client.release();
    }
  });

  it("can run again after a failure, and after a rollback of the transaction that first sent them", async () => {
    const client = await store.database.pool.connect();
    const text = "SELECT 12 / $1::int AS share";
    try {
      await client.query("BEGIN");
      await expect(client.query(text, [0])).rejects.toThrow("division by zero");
      await client.query("ROLLBACK");
      expect((await client.query(text, [4])).rows).toEqual([{ share: 3 }]);
      await expect(client.query(text, [0])).rejects.toThrow("division by zero");
      expect((await client.query(text, [6])).rows).toEqual([{ share: 2 }]);
    } finally {
      client.release();
    }
  });

  it("run without filling the connection if there are too many different texts", async () => {
    const client = await store.database.pool.connect();
    try {
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 200; i++) {
          const { rows } = await client.query(`SELECT $1::int + ${i} AS sum`, [1]);
          expect(rows).toEqual([{ sum: i + 1 }]);
        }
      }
      const { rows } = await client.query("SELECT count(*)::int AS count FROM pg_prepared_statements");
      expect(rows[0].count).toBeGreaterThan(0);
      expect(rows[0].count).toBeLessThan(200);
    } finally {
      client.release();
    }
  });

  it("remain prepared if they are frequent, even with many variants of a list", async () => {
    const client = await store.database.pool.connect();
    const often = "SELECT $1::int * 3 AS product";
    try {
      for (let i = 0; i < 600; i++) {
        await client.query(`SELECT $1::int + ${i} AS variant`, [1]);
        await client.query(`SELECT $1::int + ${i} AS variant`, [1]);
        if (i % 20 === 0) expect((await client.query(often, [i])).rows).toEqual([{ product: 3 * i }]);
      }
      expect((await client.query(timesPrepared, [often])).rows).toEqual([{ count: 1 }]);
      const next = "SELECT $1::int - 1 AS before";
      for (let times = 0; times < 2; times++) await client.query(next, [1]);
      expect((await client.query(timesPrepared, [next])).rows).toEqual([{ count: 1 }]);
    } finally {
      client.release();
    }
  });

  it("are deallocated even in a failed transaction", async () => {
    const client = await store.database.pool.connect();
    try {
      await client.query("BEGIN");
      await expect(client.query("SELECT 1 / $1::int", [0])).rejects.toThrow("division by zero");
      for (let i = 0; i < 300; i++) {
        await client.query(`SELECT $1::int AS refused_${i}`, [1]).catch(() => undefined);
        await client.query(`SELECT $1::int AS refused_${i}`, [1]).catch(() => undefined);
      }
      await client.query("ROLLBACK");
      for (let i = 0; i < 300; i++) {
        for (let times = 0; times < 2; times++) {
          expect((await client.query(`SELECT $1::int AS taken_${i}`, [i])).rows[0]).toEqual({
            [`taken_${i}`]: i,
          });
        }
      }
      const { rows } = await client.query("SELECT count(*)::int AS count FROM pg_prepared_statements");
      expect(rows[0].count).toBeLessThan(200);
    } finally {
      client.release();
    }
  });
});
