/** Tests the rows in the audit log about downloads of samples and exports. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { and, asc, eq, like, or, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { walk } from "./recordings.js";
import { type TestAccount, type TestDevice, TestService } from "./service.js";
import { SquadScene } from "./squad-scene.js";

const START = "2024-03-01T10:00:00.000Z";
const BYTES_PER_DAY = 20_000;

let s: TestService;

// Use a separate database, because a test refuses rows of the audit log.
beforeAll(async () => {
  s = await TestService.start(await newStore(), { auditBytesPerDay: BYTES_PER_DAY });
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

/** Returns the downloads by an account from the audit log, oldest first. */
const downloadsBy = ({ id }: Pick<TestAccount, "id">) =>
  s.store.database.queries
    .select({
      operation: auditLog.operation,
      entity: auditLog.entity,
      id: auditLog.entityId,
      after: auditLog.after,
    })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.accountId, id),
        or(like(auditLog.operation, "download%"), eq(auditLog.operation, "exportAthlete")),
      ),
    )
    .orderBy(asc(auditLog.id));

async function recorded(samples: number): Promise<{ owner: TestAccount; device: TestDevice; path: string }> {
  const owner = await s.manager();
  const device = await s.longOwned(owner);
  await s.load(device, owner, await walk(device.serial_number, START, samples));
  return { owner, device, path: `/api/v2/devices/${device.id}/samples/` };
}

describe("the audit log of downloads", () => {
  it("has one row for each download, with the caller, the object, the format, the requested time and the number of samples", async () => {
    const { owner, device, path } = await recorded(600);
    const get = async (query: string) => {
      const { status } = await s.get(`${path}?${query}`, owner.token);
      expect(status).toBe(200);
    };
    await get("format=csv");
    const [from, to] = ["2024-03-01T10:00:01.000Z", "2024-03-01T10:00:02.000Z"];
    await get(`format=parquet&from=${from}&to=${to}`);
    const row = { operation: "downloadSamples", entity: "device", id: device.id };
    expect(await downloadsBy(owner)).toEqual([
      { ...row, after: { format: "csv", from: null, to: null, samples: 600, end: "complete" } },
      { ...row, after: { format: "parquet", from, to, samples: 10, end: "complete" } },
    ]);
  });

  it("names the session, the squad or the account, and includes exports of athletes", async () => {
    const scene = await SquadScene.of(s, ["Ann"]);
    const { manager, squad, players } = scene;
    await scene.run(players[0]?.device as TestDevice, 0, 1);
    const session = await scene.session();
    const athlete = players[0]?.athlete ?? 0;
    for (const path of [
      `/api/v2/sessions/${session}/samples/?format=jsonl`,
      `/api/v2/squads/${squad}/samples/?format=arrow`,
      "/api/v2/samples/",
      `/api/v1/athletes/${athlete}/export/`,
    ])
      expect((await s.get(path, manager.token)).status).toBe(200);
    const after = { from: null, to: null, samples: 600, end: "complete" };
    expect(await downloadsBy(manager)).toEqual([
      {
        operation: "downloadSessionSamples",
        entity: "session",
        id: session,
        after: { ...after, format: "jsonl" },
      },
      { operation: "downloadSquadSamples", entity: "squad", id: squad, after: { ...after, format: "arrow" } },
      {
        operation: "downloadAllSamples",
        entity: "account",
        id: manager.id,
        after: { ...after, format: "csv" },
      },
      {
        operation: "exportAthlete",
        entity: "account",
        id: athlete,
        after: { format: "zip", end: "complete" },
      },
    ]);
  });

  it("records that a client disconnected early, and records no HEAD requests or refused requests", async () => {
    const { owner, path } = await recorded(60_000);
    const head = { method: "HEAD", headers: { Authorization: `Bearer ${owner.token}` } };
    expect((await fetch(`${s.service.url}${path}`, head)).status).toBe(200);
    expect(
      (await s.get(`${path}?from=2025-01-01T00:00:00Z&to=2024-01-01T00:00:00Z`, owner.token)).status,
    ).toBe(400);
    const call = request(`${s.service.url}${path}`, { headers: head.headers });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    await once(response, "readable");
    response.destroy();
    await expect.poll(() => downloadsBy(owner)).toHaveLength(1);
    const [row] = await downloadsBy(owner);
    expect(row?.after).toMatchObject({ format: "csv", end: "ended_early" });
    expect(row?.after?.samples).toBeGreaterThan(0);
    expect(row?.after?.samples).toBeLessThan(60_000);
  });

  it("records a failure if the samples cannot be read", async () => {
    const { owner, device, path } = await recorded(5);
    await s.store.database.queries.execute(
      sql`UPDATE sample_chunks SET payload = substr(payload, 1, 20) WHERE device_id = ${device.id}`,
    );
    expect((await s.get(path, owner.token)).status).toBe(500);
    expect(await downloadsBy(owner)).toMatchObject([{ after: { samples: 0, end: "failed" } }]);
  });

  it("does not interrupt a download if the row cannot be written", async () => {
    const { owner, path } = await recorded(600);
    const { queries } = s.store.database;
    await queries.execute(
      sql`ALTER TABLE audit_log ADD CONSTRAINT refused CHECK (operation <> 'downloadSamples') NOT VALID`,
    );
    try {
      const { status, body } = await s.get(path, owner.token);
      expect([status, String(body).trimEnd().split("\n").length]).toEqual([200, 601]);
    } finally {
      await queries.execute(sql`ALTER TABLE audit_log DROP CONSTRAINT refused`);
    }
    expect(await downloadsBy(owner)).toEqual([]);
  });

  it("counts downloads above the daily limit of the account in one row", async () => {
    const { owner, path } = await recorded(5);
    const { body: squad } = await s.post("/api/v2/squads/", { name: "First" }, owner.token);
    for (let n = 0; n < 60; n += 1) {
      const json = { name: `Squad ${n}` };
      const { status } = await s.send("PATCH", `/api/v2/squads/${squad.id}/`, { token: owner.token, json });
      expect(status).toBe(200);
    }
    for (let n = 0; n < 3; n += 1) expect((await s.get(path, owner.token)).status).toBe(200);
    const [summary] = await s.store.database.queries
      .select({ after: auditLog.after })
      .from(auditLog)
      .where(and(eq(auditLog.entity, "audit"), eq(auditLog.entityId, owner.id)));
    expect(await downloadsBy(owner)).toEqual([]);
    expect(summary?.after).toMatchObject({ changes: { "downloadSamples device": 3 } });
  });
});
