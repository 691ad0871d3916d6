/** Tests roles without superuser rights, created with the statements in docs/postgresql.md. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { applyRetention } from "../src/jobs/retention.js";
import { openStore } from "../src/store/open.js";
import { stopAfterTest } from "./cleanup.js";
import { Processes } from "./processes.js";
import { newScene } from "./scene.js";
import { TestService } from "./service.js";
import { testConfig } from "./test-config.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/postgresql.md"), "utf8");

describe.runIf(isPostgres)("a service whose role owns no table", () => {
  let name: string;
  const urlOf = (role: string, database = name) =>
    inject("postgresUrl").replace("postgres@", `${role}@`) + database;

  /** Runs statements of the guide with other names. */
  async function follow(statements: string | undefined, url: string): Promise<void> {
    const client = new pg.Client(url);
    await client.connect();
    for (const statement of (statements ?? "").split(";\n").filter((text) => text.trim() !== ""))
      await client.query(statement.replace(/\basi(?=_owner\b|\b)/g, name));
    await client.end();
  }

  beforeEach(async () => {
    name = `asi_${randomBytes(4).toString("hex")}`;
    const [asSuperuser, asOwner] = [...GUIDE.matchAll(/```sql\n(.*?)```/gs)].map(([, text]) => text);
    await follow(asSuperuser, urlOf("postgres", "postgres"));
    await follow(asOwner, urlOf(`${name}_owner`));
  });

  it("is told to migrate as the owner, is migrated by `asi-server migrate`, and then works completely", async () => {
    const databaseUrl = urlOf(name);
    await expect(openStore(testConfig({ databaseUrl }))).rejects.toThrow("asi-server migrate");
    const processes = await Processes.onNewDatabase({ DATABASE_URL: urlOf(`${name}_owner`) });
    const migrated = await processes.command("migrate");
    expect(migrated.applied).toContain("0001-first");
    expect((await processes.command("migrate")).applied).toEqual([]);

    const store = await openStore(testConfig({ databaseUrl }));
    stopAfterTest(() => store.close());
    const s = await TestService.start(store);
    const { owner, ids } = await newScene(s);
    expect((await s.get(`/api/v1/timeframes/${ids.timeframe}/computed-data/`, owner.token)).status).toBe(200);
    await applyRetention(s.ctx);
    await expect(store.database.pool.query("CREATE TABLE own (n int)")).rejects.toThrow("permission denied");
    await expect(store.database.pool.query("DROP TABLE accounts")).rejects.toThrow("must be owner");
  });

  it("reports what to do if the server has no free connection", async () => {
    await follow(`ALTER ROLE ${name} CONNECTION LIMIT 0`, urlOf("postgres"));
    await expect(openStore(testConfig({ databaseUrl: urlOf(name) }))).rejects.toThrow(
      /^The database of DATABASE_URL has no free connection: too many connections for role .* Lower DATABASE_POOL_SIZE/,
    );
  });
});
