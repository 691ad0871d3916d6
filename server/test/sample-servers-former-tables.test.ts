/** Tests that copies of samples from a move are dropped, even if the command has ended before it could drop them. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { abandonedCopies, type Connection, type Copy } from "../src/store/placement/placement.js";
import { serverAddress } from "../src/store/placement/server-address.js";
import { cancelMove, moveSamples, onServer } from "../src/store/sample-servers/move.js";
import { isSpread, storeOn } from "./sample-servers.js";
import { TestService } from "./service.js";

const NEVER = /^$/;

describe.runIf(isSpread)("unused copies of samples", () => {
  let store: Awaited<ReturnType<typeof storeOn>>;

  beforeAll(async () => {
    store = await storeOn([]);
    return () => store.close();
  });

  /**
   * Runs a command, and ends it before a statement or at a COMMIT.
   * @param ended matches a statement: `before` ends the command instead of running it, `withCommitOf` at the COMMIT of its
   * transaction
   */
  async function run<T>(
    command: (client: Connection) => Promise<T>,
    ended: { before?: RegExp; withCommitOf?: RegExp } = {},
  ): Promise<T> {
    const client = await store.database.direct.connect();
    let isLast = false;
    const connection: Connection = {
      async query(text, params) {
        if ((ended.before ?? NEVER).test(text)) throw new Error("ended here");
        const result = await client.query(text, params);
        isLast ||= (ended.withCommitOf ?? NEVER).test(text);
        if (isLast && text === "COMMIT") throw new Error("ended here");
        return result;
      },
    };
    try {
      return await command(connection);
    } finally {
      client.release(true);
    }
  }

  const distribute = (client: Connection) =>
    moveSamples(client, inject("sampleServerUrls").map(serverAddress));
  const gather = (client: Connection) => moveSamples(client, []);
  const abandoned = () => abandonedCopies(store.database.pool);

  /** Returns the number of copies that are still on their servers. */
  async function remaining(copies: readonly Copy[]): Promise<number> {
    const found = copies.map(({ url, table }) =>
      onServer(url, async (remote) => {
        const { rows } = await remote.query("SELECT to_regclass($1) IS NOT NULL AS there", [table]);
        return rows[0].there ? 1 : 0;
      }),
    );
    return (await Promise.all(found)).reduce<number>((sum, one) => sum + one, 0);
  }

  it("are dropped when the command is repeated after it was killed just after the exchange of the tables", async () => {
    await run(distribute);
    await expect(run(gather, { withCommitOf: /^DROP TABLE public\.sample_chunks$/ })).rejects.toThrow(
      "ended here",
    );
    const copies = await abandoned();
    expect(copies).toHaveLength(3);
    expect(await remaining(copies)).toBe(3);
    expect(await run(gather)).toMatchObject({ copied: 0, tablesLeft: [] });
    expect(await remaining(copies)).toBe(0);
    expect(await abandoned()).toEqual([]);
  });

  it("are dropped when cancel-move is repeated after it was killed just after it cancelled the move", async () => {
    await expect(run(distribute, { before: /^DROP TABLE public\.sample_chunks$/ })).rejects.toThrow(
      "ended here",
    );
    await expect(run(cancelMove, { withCommitOf: /^DROP SCHEMA sample_move/ })).rejects.toThrow("ended here");
    const copies = await abandoned();
    expect(await remaining(copies)).toBe(3);
    expect(await run(cancelMove)).toEqual({ cancelled: false, tablesLeft: [] });
    expect(await remaining(copies)).toBe(0);
    expect(await abandoned()).toEqual([]);
  });

  it("are listed while their server is unreachable, and dropped by the next command when the server is back", async () => {
    await run(distribute);
    await expect(run(gather, { withCommitOf: /^DROP TABLE public\.sample_chunks$/ })).rejects.toThrow();
    const copies = await abandoned();
    const [first] = copies;
    if (first === undefined) throw new Error("No copy is left");
    const { pool } = store.database;
    await pool.query(`ALTER SERVER ${first.name} OPTIONS (SET port '1')`);
    const { tablesLeft } = await run(gather);
    expect(tablesLeft).toEqual([
      expect.stringMatching(`^${first.table} on .*${first.name}.* cannot be reached`),
    ]);
    const s = await TestService.start(store);
    expect(await commands["samples servers"]({ ...s.ctx, database: store.database })).toEqual({
      servers: [],
      move: null,
      tables_left: [expect.stringContaining(first.table)],
    });
    await s.stop();
    await pool.query(`ALTER SERVER ${first.name} OPTIONS (SET port '${new URL(first.url).port}')`);
    expect(await remaining(copies)).toBe(1);
    expect(await run(gather)).toMatchObject({ tablesLeft: [] });
    expect(await remaining(copies)).toBe(0);
  });

  it("are dropped with a note even if the statistics of the new table cannot be computed", async () => {
    await run(distribute);
    expect(await run(gather, { before: /^ANALYZE/ })).toMatchObject({
      tablesLeft: [],
      unanalyzed: "ended here",
    });
    expect(await abandoned()).toEqual([]);
  });
});
