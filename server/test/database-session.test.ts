import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../src/store/database.js";
import { newStore } from "./service.js";

describe.runIf(process.env.TEST_DATABASE === "postgres")("a session", () => {
  it("writes times in UTC and in the ISO style, whatever the server is set to", async () => {
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
});
