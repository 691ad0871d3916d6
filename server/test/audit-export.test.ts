/** Tests exports of the audit log: all entries, by time, and by account. */
import { execFile } from "node:child_process";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../src/domain/exports/audit.js";
import { commands } from "../src/operator/commands.js";
import { newStore } from "./databases.js";
import { MAIN, Processes, type RunningProcess } from "./processes.js";
import { TestService } from "./service.js";
import { Team } from "./team.js";

/** Reads all parts of an export. */
async function exported(s: TestService, args: Record<string, string>): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (let after: unknown = 0; after !== null; ) {
    const part = await commands["audit export"](
      s.ctx,
      after === 0 ? args : { ...args, after: String(after) },
    );
    entries.push(...(part.items as AuditEntry[]));
    after = part.next;
  }
  return entries;
}

describe("an export of the audit log", () => {
  it("contains all entries of the period, oldest first, however many there are, and no other entries", async () => {
    const s = await TestService.start(await newStore());
    await s.store.database.queries.execute(sql`
      INSERT INTO audit_log (at, request_id, operation, entity, entity_id)
      SELECT '2026-05-01T00:00:00Z'::timestamptz + n * interval '1 minute', 'r' || n, 'o', 'account', n
      FROM generate_series(0, 2999) AS n`);
    const [from, to] = ["2026-05-01T10:00:00Z", "2026-05-02T10:00:00Z"];
    const entries = await exported(s, { from, to });
    expect(entries).toHaveLength(24 * 60);
    expect(entries[0]).toEqual({
      id: expect.any(Number),
      at: "2026-05-01T10:00:00.000Z",
      account: null,
      operator: null,
      operation: "o",
      entity: "account",
      entity_id: 600,
      before: null,
      after: null,
      request_id: "r600",
    });
    expect(entries.map(({ entity_id }) => entity_id)).toEqual(
      Array.from({ length: 1440 }, (_, i) => 600 + i),
    );
    await expect(exported(s, { from: to, to: from })).rejects.toMatchObject({
      body: { from: [expect.any(String)] },
    });
    await expect(exported(s, { from: "yesterday" })).rejects.toMatchObject({
      body: { from: [expect.any(String)] },
    });
  });

  it("contains the changes by and to an account, even after its deletion, and the user who exported it", async () => {
    const s = await TestService.start(await newStore());
    const [mine, other] = [await Team.of(s), await Team.of(s)];
    const { id, username } = mine.manager;
    await commands["manager grant"](s.ctx, { username });
    const of = await exported(s, { account: username });
    expect(of.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["createActivity", "manager grant"]),
    );
    expect(of.some(({ account }) => account === other.manager.id)).toBe(false);
    // Changes by others to rows that name an account are about it.
    await mine.create();
    const ofAthlete = await exported(s, { accountId: String(mine.athlete) });
    expect(ofAthlete.map(({ operation }) => operation)).toContain("createTimeframe");
    const exports = async () =>
      (await exported(s, {}))
        .filter(({ operation }) => operation === "audit export")
        .map(({ after }) => after?.accountId);
    expect(await exports()).toEqual([id, mine.athlete]);
    await commands["account delete"](s.ctx, { username });
    await expect(exported(s, { account: username })).rejects.toThrow("not_found");
    // A username can consist of digits.
    const namesake = { username: String(id), email: "namesake@example.org", password: "a long passphrase" };
    expect((await s.post("/api/v1/managers/", namesake)).status).toBe(201);
    const ofNamesake = await exported(s, { account: String(id) });
    expect(ofNamesake.map(({ operation }) => operation)).toEqual(["createManager"]);
    const deleted = await exported(s, { accountId: String(id) });
    expect(deleted.length).toBeGreaterThan(of.length);
    expect(deleted.map(({ operation }) => operation)).toContain("account delete");
    await expect(exported(s, { account: username, accountId: String(id) })).rejects.toMatchObject({
      body: { account: [expect.any(String)] },
    });
    // The deletions have removed the values about the manager and the athlete.
    expect(await exports()).toEqual([undefined, undefined, null, ofNamesake[0]?.entity_id, id]);
  });
});

describe("asi-server audit export", () => {
  let processes: Processes;
  let service: RunningProcess;

  beforeAll(async () => {
    processes = await Processes.onNewDatabase();
    service = await processes.start();
  });
  afterAll(() => processes.end());

  const output = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile(
        process.execPath,
        [MAIN, "audit", "export", ...args],
        { env: processes.env, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      );
    });

  it("writes JSON lines, or CSV that contains no formulas", async () => {
    const token = await service.send("POST", "/api/v1/managers/", undefined, {
      username: "ann",
      email: "ann@example.org",
      password: "a long passphrase",
      external_id: "=1+1",
    });
    expect(token.status).toBe(201);
    const lines = (await output("--account", "ann")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        operation: "createManager",
        entity: "account",
        before: null,
        after: { username: "ann", externalId: "=1+1" },
      },
    ]);
    const [head, row] = (await output("--account", "ann", "--format", "csv")).split("\r\n");
    expect(head).toBe("id,at,account,operator,operation,entity,entity_id,before,after,request_id");
    expect(row).toContain(",createManager,account,");
    expect(row).toContain('"{""');
    expect(await output("--to", "2000-01-01T00:00:00Z")).toBe("");
  });
});
