/** Tests applications that managers create for themselves, and that act for them with client credentials. */
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { applications, auditLog } from "../src/store/schema.js";
import { hold } from "./held-locks.js";
import { service, startService, type TestAccount, type TestService } from "./service.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";

const PATH = "/api/v2/applications/";

let s: TestService;
let ann: TestAccount;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
});

const create = (by: TestAccount, more: Record<string, unknown> = {}, at = s) =>
  at.post(PATH, { name: "Warehouse", scopes: ["samples:read"], password: by.password, ...more }, by.token);

const tokenOf = ({ client_id, client_secret }: Record<string, string>) =>
  s.token({
    client_id: client_id ?? "",
    client_secret: client_secret ?? "",
    grant_type: "client_credentials",
  });

describe("an application of a manager", () => {
  it("gets tokens with its scopes, and is listed without its secret", async () => {
    const ben = await s.manager();
    const { status, body, headers } = await create(ben);
    expect([status, headers.get("location")]).toEqual([201, `${PATH}${body.id}/`]);
    const { client_secret, ...shown } = body;
    expect(shown).toEqual({
      id: expect.any(Number),
      name: "Warehouse",
      client_id: expect.stringMatching(/^\w[\w-]{42}$/),
      scopes: ["samples:read"],
      created_at: expect.any(String),
      last_used_at: null,
    });
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    expect((await s.get(PATH, ben.token)).body.results).toEqual([shown]);
    const token = await tokenOf(body);
    expect([token.status, token.body.scope]).toEqual([200, "samples:read"]);
    expect((await s.get("/api/v1/account/", token.body.access_token)).body.id).toBe(ben.id);
    const refused = await s.get("/api/v2/squads/", token.body.access_token);
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
  });

  it("is not created with a wrong password, without a scope, or by another application", async () => {
    expect((await create(ann, { password: "not the password" })).body.code).toBe("wrong_password");
    expect((await create(ann, { password: undefined })).body.code).toBe("password_required");
    expect((await create(ann, { scopes: [] })).status).toBe(400);
    expect((await create(ann, { scopes: ["all"] })).status).toBe(400);
    const { body } = await tokenOf((await create(ann, { scopes: ["sessions:write"] })).body);
    const byToken = { ...ann, token: body.access_token };
    expect((await create(byToken)).body.code).toBe("insufficient_scope");
    expect((await s.get(PATH, byToken.token)).body.code).toBe("insufficient_scope");
  });

  it("is deleted together with its tokens, and only by its manager", async () => {
    const { body } = await create(ann);
    const token = (await tokenOf(body)).body.access_token;
    const ben = await s.manager();
    const remove = (by: TestAccount) => s.send("DELETE", `${PATH}${body.id}/`, { token: by.token });
    expect((await remove(ben)).status).toBe(404);
    expect((await s.get("/api/v1/devices/", token)).status).toBe(200);
    expect((await remove(ann)).status).toBe(204);
    expect((await s.get("/api/v1/devices/", token)).status).toBe(403);
    expect((await tokenOf(body)).body.error).toBe("invalid_client");
    expect((await remove(ann)).status).toBe(404);
  });

  it("gets another secret from its manager, which invalidates the previous one and its tokens", async () => {
    const { body } = await create(ann);
    const token = (await tokenOf(body)).body.access_token;
    const replace = (by: TestAccount, password?: string) =>
      s.post(`${PATH}${body.id}/secret/`, { password }, by.token);
    const ben = await s.manager();
    expect((await replace(ben, ben.password)).status).toBe(404);
    expect((await replace(ann)).body.code).toBe("password_required");
    expect((await replace(ann, "not the password")).body.code).toBe("wrong_password");
    expect((await replace({ ...ann, token }, ann.password)).body.code).toBe("insufficient_scope");
    expect((await s.get("/api/v1/devices/", token)).status).toBe(200);
    const replaced = await replace(ann, ann.password);
    expect([replaced.status, replaced.body.client_id]).toEqual([200, body.client_id]);
    expect(replaced.body.client_secret).not.toBe(body.client_secret);
    expect((await s.get("/api/v1/devices/", token)).status).toBe(403);
    expect((await tokenOf(body)).body.error).toBe("invalid_client");
    expect((await tokenOf(replaced.body)).status).toBe(200);
    const rows = await s.store.database.queries.select().from(auditLog).where(eq(auditLog.entityId, body.id));
    const own = rows.filter(({ operation }) => operation === "replaceApplicationSecret");
    expect(own.map(({ accountId }) => accountId)).toEqual([ann.id]);
    expect(JSON.stringify(own)).not.toContain(replaced.body.client_secret);
  });

  it.runIf(isPostgres)(
    "locks its account first when its secret is replaced, as a token request does",
    async () => {
      const own = await startService();
      const ben = await own.manager();
      const { body } = await create(ben, {}, own);
      const held = await hold(own, `SELECT FROM accounts WHERE id = ${ben.id} FOR NO KEY UPDATE`);
      const replacing = own.post(`${PATH}${body.id}/secret/`, { password: ben.password }, ben.token);
      await held.waiters(1);
      await held.client.query(`SELECT FROM applications WHERE id = ${body.id} FOR UPDATE NOWAIT`);
      await held.release();
      expect((await replacing).status).toBe(200);
    },
  );

  it("shows when it was last used, with at most one write per hour", async () => {
    const own = await startService();
    const ben = await s.manager();
    const { body } = await create(ben, {}, own);
    const secret = { client_id: body.client_id, client_secret: body.client_secret };
    const use = async () => {
      const token = await own.token({ ...secret, grant_type: "client_credentials" });
      await own.get("/api/v1/devices/", token.body.access_token);
      return (await own.get(PATH, ben.token)).body.results[0].last_used_at;
    };
    const first = new Date().toISOString();
    own.clock.stopAt(Date.parse(first));
    expect(await use()).toBe(first);
    own.clock.advance(3_599_000);
    expect(await use()).toBe(first);
    own.clock.advance(1000);
    expect(await use()).toBe(new Date(Date.parse(first) + 3_600_000).toISOString());
  });

  it("is recorded in the audit log without its secret", async () => {
    const { body } = await create(ann);
    await s.send("DELETE", `${PATH}${body.id}/`, { token: ann.token });
    const rows = await s.store.database.queries.select().from(auditLog).where(eq(auditLog.entityId, body.id));
    const own = rows.filter(({ entity }) => entity === "application");
    expect(own.map(({ operation, accountId }) => [operation, accountId])).toEqual([
      ["createApplication", ann.id],
      ["deleteApplication", ann.id],
    ]);
    expect(own[0]?.after).toMatchObject({ name: "Warehouse", secretHash: "***" });
    expect(JSON.stringify(own)).not.toContain(body.client_secret);
  });

  it("can be deleted by the manager even if the operator has created it, and is listed like any other application", async () => {
    const ben = await s.manager();
    await commands["app create"](s.ctx, { name: "Report", user: ben.username, scope: ["sessions:read"] });
    const [item] = (await s.get(PATH, ben.token)).body.results;
    expect(item).toMatchObject({ name: "Report", scopes: ["sessions:read"] });
    await commands["app revoke"](s.ctx, { clientId: item.client_id });
    expect((await s.get(PATH, ben.token)).body.results).toEqual([]);
    expect((await s.send("DELETE", `${PATH}${item.id}/`, { token: ben.token })).status).toBe(404);
  });

  it("counts towards a quota, even if several are created at the same time", async () => {
    const small = await startService({ quotaApplications: 2 });
    const ben = await s.manager();
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await create(ben, {}, small)).status));
    expect(statuses.sort()).toEqual([201, 201, 409, 409]);
    expect((await s.get(PATH, ben.token)).body.results).toHaveLength(2);
  });

  it("is deleted with the account of its manager", async () => {
    const ben = await s.manager();
    const { body } = await create(ben);
    await commands["account delete"](s.ctx, { username: ben.username });
    expect(await s.store.database.queries.$count(applications, eq(applications.id, body.id))).toBe(0);
  });
});
