import { connect } from "node:net";
import { desc, eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { activities, auditLog } from "../src/store/schema.js";
import { CARELESS, processorTimeOf } from "./processor-time.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let schema: number;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  schema = (await s.get("/api/v1/json-schemas/?search=soccer&type=1", ann.token)).body.results[0].id;
});

const activity = (json: Record<string, unknown>) => ({
  name: "x",
  json: { sport: "soccer", ...json },
  json_schema: schema,
  owner: ann.id,
});
const create = (json: Record<string, unknown>) => s.post("/api/v1/activities/", activity(json), ann.token);
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, i]));

const latestAudit = async (id: number) => {
  const [row] = await s.store.database.queries
    .select()
    .from(auditLog)
    .where(eq(auditLog.entityId, id))
    .orderBy(desc(auditLog.id))
    .limit(1);
  return row;
};

describe("the json of an activity", () => {
  it("has at most 64 KiB and 2,000 members, not counting the course", async () => {
    expect((await create({ ...members(1_999), gpx: "x".repeat(200_000) })).status).toBe(201);
    const many = await create(members(2_000));
    expect([many.status, many.body]).toEqual([
      400,
      { json: ["Ensure this object has no more than 2000 members."] },
    ]);
    expect((await create({ nested: { a: [members(1_990), members(20)] } })).status).toBe(400);
    expect((await create({ note: "x".repeat(65_000) })).status).toBe(201);
    const long = await create({ note: "x".repeat(66_000) });
    expect([long.status, long.body]).toEqual([
      400,
      { json: ["Ensure this object has no more than 65536 bytes as JSON."] },
    ]);
  });

  it("is neither validated again nor written to the audit log if an update does not change it", async () => {
    const { body } = await create({ gpx: "x".repeat(100_000), a: 1 });
    const path = `/api/v1/activities/${body.id}/`;
    // An earlier release may have stored this json.
    await s.store.database.queries
      .update(activities)
      .set({ json: { ...body.json, ...members(3_000) } })
      .where(eq(activities.id, body.id));
    const patched = await s.send("PATCH", path, { token: ann.token, json: { name: "z" } });
    expect([patched.status, patched.body.name, Object.keys(patched.body.json).length]).toEqual([
      200,
      "z",
      3_003,
    ]);
    expect(await latestAudit(body.id)).toMatchObject({ before: { name: "x" }, after: { name: "z" } });
    expect(JSON.stringify(await latestAudit(body.id)).length).toBeLessThan(2_000);
    const same = await s.send("PUT", path, { token: ann.token, json: { ...patched.body, name: "y" } });
    expect(same.status).toBe(200);
    expect(JSON.stringify(await latestAudit(body.id)).length).toBeLessThan(2_000);
    const changed = await s.send("PATCH", path, {
      token: ann.token,
      json: { json: { sport: "soccer", b: 2 } },
    });
    expect(changed.body.json).toEqual({ sport: "soccer", b: 2 });
    expect((await latestAudit(body.id))?.after).toMatchObject({ json: { b: 2 } });
    const wrong = await s.send("PATCH", path, { token: ann.token, json: { json: { sport: "chess" } } });
    expect(wrong.status).toBe(400);
  });

  it("is validated again when its schema changes", async () => {
    const { body } = await create({});
    const { results } = (await s.get("/api/v1/json-schemas/?type=1", ann.token)).body;
    const other = results.find(({ id }: { id: number }) => id !== schema);
    const { status } = await s.send("PATCH", `/api/v1/activities/${body.id}/`, {
      token: ann.token,
      json: { json_schema: other.id },
    });
    expect(status).toBe(400);
  });

  it("takes as long with a course of 4 MB of quotes as with a course of letters when the name changes", async () => {
    const rename = async (letter: string) => {
      const { body } = await create({ gpx: letter.repeat(4_000_000) });
      const change = { token: ann.token, json: { name: "z" } };
      const { ms, result } = await processorTimeOf(() =>
        s.send("PATCH", `/api/v1/activities/${body.id}/`, change),
      );
      expect(result.status).toBe(200);
      return ms;
    };
    const harmlessMs = await rename("x");
    expect((await rename('"')) / harmlessMs).toBeLessThan(CARELESS);
  });
});

describe("problems in a body", () => {
  it("are reported up to a limit of one hundred", async () => {
    const athlete = await s.athlete();
    const path = `/api/v1/athletes/${athlete.id}/managers/${ann.id}/permissions/`;
    const items = (count: number) => Array.from({ length: count }, () => ({}));
    const many = await s.post(path, items(100), athlete.token);
    expect(many.status).toBe(400);
    expect(JSON.stringify(many.body).match(/This field is required/g)?.length).toBeLessThanOrEqual(100);
    const tooMany = await s.post(path, items(10_000), athlete.token);
    expect([tooMany.status, tooMany.body]).toEqual([
      400,
      { non_field_errors: ["Ensure this list has no more than 100 items."] },
    ]);
  });

  it("are also reported up to a limit of one hundred for parameters", async () => {
    const { status, body } = await create({ sport: 1 });
    expect([status, body]).toEqual([400, { json: { sport: ['Must be "soccer".'] } }]);
  });
});

describe("a list query", () => {
  it("applies each ordering field only once", async () => {
    const ordering = Array.from({ length: 1_200 }, () => "name,-name").join(",");
    const { status } = await s.get(`/api/v1/activities/?limit=1&ordering=${ordering}`, ann.token);
    expect(status).toBe(200);
  });

  it("has at most 20 search terms", async () => {
    const terms = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`).join("+");
    expect((await s.get(`/api/v1/activities/?search=${terms(20)}`, ann.token)).status).toBe(200);
    expect((await s.get(`/api/v1/activities/?search=${"same+".repeat(100)}`, ann.token)).status).toBe(200);
    const { status, body } = await s.get(`/api/v1/activities/?search=${terms(21)}`, ann.token);
    expect([status, body]).toEqual([400, { search: ["Search for at most 20 terms."] }]);
  });

  it("takes time in proportion to its length, and so do headers", async () => {
    const costOf = async (path: string, headers: Record<string, string>) => {
      const { ms } = await processorTimeOf(async () => {
        for (let i = 0; i < 10; i++) await s.get(path, ann.token, headers);
      });
      return ms;
    };
    const account = "/api/v1/account/";
    const harmlessMs = await costOf(account, { "X-Unknown": "a".repeat(12_000) });
    for (const headers of [
      { Accept: "application/json;q=0.1,".repeat(500) },
      { Accept: `application/json;${"a".repeat(12_000)}` },
      { "If-None-Match": '"a",'.repeat(3_000) },
      { "Content-Type": `application/json; charset${" ".repeat(12_000)}` },
      { "X-Request-Id": "a".repeat(12_000) },
    ] as Record<string, string>[]) {
      const [name] = Object.keys(headers);
      expect((await costOf(account, headers)) / harmlessMs, name).toBeLessThan(CARELESS);
    }
    for (const query of ["a&".repeat(5_000), "page=1&".repeat(1_500), `email=${"a.".repeat(5_000)}`]) {
      expect((await costOf(`/api/v1/athletes/?${query}`, {})) / harmlessMs, query.slice(0, 7)).toBeLessThan(
        CARELESS,
      );
    }
  });
});

describe("the memory for bodies", () => {
  /** Sends the beginning of a body that never ends. */
  async function begin(
    on: TestService,
    { token }: TestAccount,
    client: string,
    sent: number,
  ): Promise<() => Promise<string>> {
    const { port, hostname } = new URL(on.service.url ?? "");
    let answer = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => undefined);
    socket.write(
      `POST /api/v1/activities/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{"json":{"gpx":"`,
    );
    const held = on.service.app.bodyBudget.held + sent;
    socket.write("x".repeat(sent));
    await expect.poll(() => on.service.app.bodyBudget.held).toBeGreaterThan(held);
    return async () => {
      socket.destroy();
      return answer;
    };
  }

  const post = (on: TestService, { token }: TestAccount, client: string, bytes: number) =>
    on.send("POST", "/api/v1/activities/", {
      token,
      body: JSON.stringify({ ...activity({ gpx: "x".repeat(bytes) }) }),
      headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
    });

  it("is limited per caller and in total; refused requests receive a time to retry", async () => {
    const on = await startService({
      trustProxy: ["127.0.0.1"],
      bodyMemoryBytes: 8_000_000,
      bodyMemoryPerCallerBytes: 2_500_000,
      transferGraceMs: 60_000,
    });
    const users = [ann, await s.manager(), await s.manager(), await s.manager()] as const;
    const from = ["192.0.2.31", "192.0.2.32", "192.0.2.33", "192.0.2.34"] as const;
    const endings = [
      await begin(on, users[0], from[0], 1_700_000),
      await begin(on, users[0], from[0], 500_000),
    ];
    const send = (index: 0 | 3, bytes: number) => post(on, users[index], from[index], bytes);
    await expect.poll(async () => (await send(0, 1_000_000)).status).toBe(429);
    endings.push(
      await begin(on, users[1], from[1], 2_000_000),
      await begin(on, users[2], from[2], 1_700_000),
    );
    await expect.poll(async () => (await send(3, 1_000_000)).status).toBe(503);
    const refused = await send(3, 1_000_000);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.body).toEqual({ detail: "The service is receiving too many bytes at once." });
    expect((await on.get("/api/v1/account/", users[3].token)).status).toBe(200);
    expect(
      (await on.send("PATCH", `/api/v1/managers/${ann.id}/`, { token: ann.token, json: {} })).status,
    ).toBe(201);
    for (const end of endings) await end();
    await expect.poll(async () => (await send(3, 100)).status).toBe(403);
    await on.stop();
  });

  it("is limited to half for the users of one address, so another address can send its course", async () => {
    const on = await startService({
      trustProxy: ["127.0.0.1"],
      bodyMemoryBytes: 8_000_000,
      bodyMemoryPerCallerBytes: 3_000_000,
      transferGraceMs: 60_000,
    });
    const [first, second, third] = [await s.manager(), await s.manager(), await s.manager()];
    const endings = [
      await begin(on, first, "192.0.2.35", 1_400_000),
      await begin(on, second, "192.0.2.35", 1_400_000),
    ];
    expect((await post(on, third, "192.0.2.35", 1_000_000)).status).toBe(429);
    expect((await post(on, ann, "192.0.2.36", 2_500_000)).status).toBe(201);
    for (const end of endings) await end();
    await on.stop();
  });

  it("is shared by all addresses of an IPv6 subscriber", async () => {
    const on = await startService({
      trustProxy: ["127.0.0.1"],
      bodyMemoryPerCallerBytes: 1_000_000,
      transferGraceMs: 60_000,
    });
    const { port, hostname } = new URL(on.service.url ?? "");
    const answers = ["2001:db8:7:8::1", "2001:db8:7:9::1", "2001:db8:7:109::1"].map((client) => {
      const answer = { text: "" };
      const socket = connect(Number(port), hostname);
      socket.on("data", (chunk) => {
        answer.text += chunk;
      });
      socket.write(
        `POST /api/v1/managers/ HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"profile_picture":"`,
      );
      socket.write("x".repeat(800_000));
      return { answer, socket };
    });
    const refused = () => answers.map(({ answer }) => answer.text.startsWith("HTTP/1.1 429 "));
    await expect.poll(() => on.service.app.bodyBudget.held).toBeGreaterThan(1_600_000);
    // One of the two connections of the subscriber is closed; the other subscriber is not affected.
    await expect.poll(refused).toContain(true);
    expect(refused()[2]).toBe(false);
    for (const { socket } of answers) socket.destroy();
    await on.stop();
  });

  it("is not reserved for a body that exceeds its limit", async () => {
    const { port, hostname } = new URL(s.service.url ?? "");
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1/managers/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{`,
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once("data", (chunk) => resolve(String(chunk))),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});
