import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditLog, webhooks } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { emit } from "./events.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity } from "./team.js";
import { fields, lookup } from "./webhook-fields.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let activity: number;
let base: string;

// Use a separate database, because services of other tests would deliver these webhooks.
beforeAll(async () => {
  s = await TestService.start(await newStore(), {}, lookup);
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  activity = await newActivity(s, ann);
  base = `/api/v1/activities/${activity}/webhooks/`;
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const masked = { ...fields, secret_token: "se*********", disabled_at: null };

const create = (more: Record<string, unknown> = {}, path = base) =>
  s.post(path, { ...fields, ...more }, ann.token);

const isDeprecated = ({ headers }: { headers: Headers }) =>
  headers.get("deprecation") === "@1704067200" && headers.get("link")?.includes('rel="deprecation"') === true;

describe("webhooks", () => {
  it("are created without returning their secret", async () => {
    const created = await create();
    expect(created.status).toBe(200);
    expect(created.body).toEqual({ id: created.body.id, ...masked });
    expect(isDeprecated(created)).toBe(true);
    const [row] = await s.store.database.queries
      .select()
      .from(webhooks)
      .where(eq(webhooks.id, created.body.id));
    expect(JSON.stringify(row)).not.toContain(fields.secret_token);
    const audits = await s.store.database.queries
      .select()
      .from(auditLog)
      .where(and(eq(auditLog.entity, "webhook"), eq(auditLog.entityId, created.body.id)));
    expect(audits).toMatchObject([
      { operation: "createWebhook", accountId: ann.id, before: null, after: { secretToken: "***" } },
    ]);
  });

  it("are created only with every required field", async () => {
    const { status, body } = await s.post(base, {}, ann.token);
    expect(status).toBe(400);
    expect(Object.keys(body).sort()).toEqual(Object.keys(fields).sort());
    for (const [name, value] of [
      ["webhook_url", null],
      ["webhook_url", 7],
      ["webhook_url", ""],
      ["secret_token", ""],
      ["secret_token", "x".repeat(101)],
      ["secret_token", "a\nb"],
      ["secret_token", " padded"],
      ["secret_token", "padded "],
      ["activity_events", "true"],
      ["timeframes_events", null],
    ] as const) {
      const answer = await create({ [name]: value });
      expect([name, value, answer.status, Object.keys(answer.body)]).toEqual([name, value, 400, [name]]);
    }
  });

  it("are created once by repeated requests with the same key", async () => {
    const send = () =>
      s.send("POST", base, { token: ann.token, json: fields, headers: { "Idempotency-Key": "one-webhook" } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(
      (await s.get(`${base}?limit=3000`, ann.token)).body.results.map(({ id }: { id: number }) => id),
    ).toEqual(expect.arrayContaining([first.body.id]));
  });

  it("are limited to 100 per activity", async () => {
    const crowded = `/api/v1/activities/${await newActivity(s, ann)}/webhooks/`;
    for (let count = 0; count < 100; count += 1) expect((await create({}, crowded)).status).toBe(200);
    const { status, headers } = await create({}, crowded);
    expect([status, headers.get("x-error-code")]).toEqual([400, "too_many_webhooks"]);
  });

  it("are listed in pages, with masked secrets", async () => {
    const own = `/api/v1/activities/${await newActivity(s, ann)}/webhooks/`;
    expect((await s.get(own, ann.token)).body).toEqual({
      count: 0,
      page: 1,
      next: null,
      previous: null,
      results: [],
    });
    const ids: number[] = [];
    for (const secret_token of ["a", "ab", "abc", "ümläut", "👍👍👍"]) {
      ids.push((await create({ secret_token }, own)).body.id);
    }
    const all = await s.get(own, ann.token);
    expect(isDeprecated(all)).toBe(true);
    expect(all.body.results.map((one: { secret_token: string }) => one.secret_token)).toEqual([
      "*",
      "**",
      "ab*",
      "üm****",
      "👍👍*",
    ]);
    const second = (await s.get(`${own}?limit=2&page=2`, ann.token)).body;
    expect(second).toMatchObject({ count: 5, page: 2, next: 3, previous: 1 });
    expect(second.results.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2, 4));
    expect((await s.get(`${own}?page=4&limit=2`, ann.token)).status).toBe(404);
    expect((await s.get(`${own}?limit=0`, ann.token)).body.count).toBe(5);
  });

  it("are shown individually with an entity tag", async () => {
    const { id } = (await create()).body;
    const shown = await s.get(`${base}${id}/`, ann.token);
    expect([shown.status, shown.body]).toEqual([200, { id, ...masked }]);
    expect(isDeprecated(shown)).toBe(true);
    const again = await s.get(`${base}${id}/`, ann.token, {
      "If-None-Match": shown.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
  });

  it.each(["49", "50", "51", "52", "53", "X4"])(
    "are refused in operation %s to users who do not own the activity",
    async (row) => {
      const { id } = (await create()).body;
      const own = await newActivity(s, bob);
      const [method, path] = {
        49: ["GET", ""],
        50: ["POST", ""],
        51: ["GET", `${id}/`],
        52: ["PUT", `${id}/`],
        53: ["DELETE", `${id}/`],
        X4: ["POST", `${id}/test/`],
      }[row] as [string, string];
      const athlete = await s.athlete();
      const status = async (at: string | number, token?: string) => {
        const json = method === "GET" || method === "DELETE" ? undefined : fields;
        return (await s.send(method, `/api/v1/activities/${at}/webhooks/${path}`, { token, json })).status;
      };
      expect(await status(activity)).toBe(403);
      expect(await status(activity, athlete.token)).toBe(403);
      expect(await status(activity, bob.token)).toBe(403);
      expect(await status(999_999_999, ann.token)).toBe(404);
      expect(await status("x", ann.token)).toBe(404);
      // Webhooks of another activity are not found.
      if (path !== "") expect(await status(own, bob.token)).toBe(404);
      expect((await s.get(`${base}${id}/`, ann.token)).status).toBe(200);
    },
  );

  it("are replaced by PUT, and PATCH changes only the fields in the body", async () => {
    const { id } = (await create()).body;
    const put = (json: unknown) => s.send("PUT", `${base}${id}/`, { token: ann.token, json });
    const patch = (json: unknown) => s.send("PATCH", `${base}${id}/`, { token: ann.token, json });
    const incomplete = await put({ webhook_url: fields.webhook_url });
    expect([incomplete.status, Object.keys(incomplete.body).sort()]).toEqual([
      400,
      ["activity_events", "secret_token", "timeframes_events"],
    ]);
    const replaced = await put({ ...fields, secret_token: "new secret", timeframes_events: true });
    expect([replaced.status, isDeprecated(replaced)]).toEqual([200, true]);
    expect(replaced.body).toEqual({ ...masked, id, secret_token: "ne********", timeframes_events: true });
    expect((await patch({ activity_events: false })).body).toEqual({
      ...replaced.body,
      activity_events: false,
    });
    expect((await patch({ webhook_url: "http://127.0.0.1/" })).status).toBe(400);
    expect((await patch({ webhook_url: "http://private.example/" })).status).toBe(400);
    expect((await s.get(`${base}${id}/`, ann.token)).body).toEqual({
      ...replaced.body,
      activity_events: false,
    });
  });

  it("keep their secret if the mask is sent back; any other value is a new secret", async () => {
    const { id } = (await create()).body;
    const encrypted = async () => {
      const rows = await s.store.database.queries.select().from(webhooks).where(eq(webhooks.id, id));
      return rows[0]?.secretToken;
    };
    const before = await encrypted();
    await s.send("PUT", `${base}${id}/`, { token: ann.token, json: masked });
    expect(await encrypted()).toBe(before);
    await s.send("PATCH", `${base}${id}/`, {
      token: ann.token,
      json: { secret_token: `${masked.secret_token}*` },
    });
    expect(await encrypted()).not.toBe(before);
  });

  it("need their full secret again for a URL with another scheme, host or port, which would receive it in every call", async () => {
    const { body } = await create({});
    const path = `${base}${body.id}/`;
    const send = (method: string, json: object) => s.send(method, path, { token: ann.token, json });
    for (const webhook_url of [
      "http://public.example/hook?key=1",
      "https://public.example:8443/hook",
      "https://93.184.215.14/hook",
    ]) {
      for (const refused of [
        await send("PATCH", { webhook_url }),
        await send("PATCH", { webhook_url, secret_token: body.secret_token }),
        await send("PUT", { ...fields, webhook_url, secret_token: body.secret_token }),
      ]) {
        expect([refused.status, refused.headers.get("x-error-code"), Object.keys(refused.body)]).toEqual([
          ...[400, "secret_token_required", ["secret_token"]],
        ]);
      }
      expect((await s.get(path, ann.token)).body).toEqual(body);
    }
    const sameOrigin = "https://PUBLIC.example:443/other";
    expect((await send("PATCH", { webhook_url: sameOrigin })).body.webhook_url).toBe(sameOrigin);
    const moved = { webhook_url: "https://93.184.215.14/hook", secret_token: fields.secret_token };
    expect((await send("PATCH", moved)).body.webhook_url).toBe(moved.webhook_url);
  });

  it("are updated and deleted only if If-Match matches", async () => {
    const { id } = (await create()).body;
    const stale = (await s.get(`${base}${id}/`, ann.token)).headers.get("etag") ?? "";
    // A new secret with the same mask also changes the tag.
    await s.send("PATCH", `${base}${id}/`, { token: ann.token, json: { secret_token: "sesame-shut" } });
    const fresh = (await s.get(`${base}${id}/`, ann.token)).headers.get("etag") ?? "";
    expect(fresh).not.toBe(stale);
    const send = (method: string, tag: string) =>
      s.send(method, `${base}${id}/`, {
        token: ann.token,
        headers: { "If-Match": tag },
        ...(method === "DELETE" ? {} : { json: fields }),
      });
    expect((await send("PUT", stale)).status).toBe(412);
    expect((await send("DELETE", stale)).status).toBe(412);
    expect((await send("DELETE", fresh)).status).toBe(204);
  });

  it("are deleted", async () => {
    const { id } = (await create()).body;
    const deleted = await s.send("DELETE", `${base}${id}/`, { token: ann.token });
    expect([deleted.status, deleted.body, isDeprecated(deleted)]).toEqual([204, "", true]);
    for (const method of ["GET", "DELETE"]) {
      expect((await s.send(method, `${base}${id}/`, { token: ann.token })).status).toBe(404);
    }
  });

  it("have a log of calls in pages, with filters", async () => {
    const own = await newActivity(s, ann);
    const path = `/api/v1/activities/${own}/webhooks/`;
    const { id } = (await create({ timeframes_events: true }, path)).body;
    await emit(s, "activity-updated", own);
    await emit(s, "timeframe-created", own, 7);
    await emit(s, "timeframe-updated", own, 7);
    const list = async (query = "") => (await s.get(`${path}${id}/deliveries/${query}`, ann.token)).body;
    const { results, ...envelope } = await list("?limit=2");
    expect(envelope).toEqual({ count: 3, page: 1, next: 2, previous: null });
    expect(results[0]).toMatchObject({
      event: "activity-updated",
      data: { activity_id: own },
      webhook_url: fields.webhook_url,
      state: "pending",
      attempts: 0,
      response_status: null,
      response: null,
      last_attempt_at: null,
    });
    expect(results[0].next_attempt_at).toBe(results[0].created_at);
    const events = async (query: string) =>
      (await list(query)).results.map(({ event }: { event: string }) => event);
    expect(await events("?event=timeframe-created")).toEqual(["timeframe-created"]);
    expect(await events("?state=delivered")).toEqual([]);
    expect(await events("?ordering=-created_at&limit=1")).toEqual(["timeframe-updated"]);
    expect((await s.get(`${path}${id}/deliveries/?page=2`, ann.token)).status).toBe(404);
    expect(JSON.stringify(results)).not.toContain("sesame");
    // The delivery belongs to another webhook.
    const other = (await create({}, path)).body.id;
    const resend = (webhook: number) =>
      s.send("POST", `${path}${webhook}/deliveries/${results[0].id}/resend/`, { token: ann.token });
    expect((await resend(other)).status).toBe(404);
    expect((await resend(id)).status).toBe(200);
  });
});
