/** Tests which URLs webhooks can have. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newStore } from "./databases.js";
import { type TestAccount, TestService } from "./service.js";
import { newActivity } from "./team.js";
import { fields, lookup } from "./webhook-fields.js";

let s: TestService;
let ann: TestAccount;
let base: string;

// Use a separate database, because services of other tests would deliver these webhooks.
beforeAll(async () => {
  s = await TestService.start(await newStore(), {}, lookup);
  ann = await s.manager();
  base = `/api/v1/activities/${await newActivity(s, ann)}/webhooks/`;
});

afterAll(async () => {
  await s.stop();
  await s.store.close();
});

const create = (more: Record<string, unknown>) => s.post(base, { ...fields, ...more }, ann.token);

describe("webhooks", () => {
  it("are created with http or https URLs of up to 200 characters, without a user", async () => {
    const long = `http://public.example/${"a".repeat(200 - "http://public.example/".length)}`;
    expect((await create({ webhook_url: long })).body.webhook_url).toBe(long);
    expect((await create({ webhook_url: "HTTP://93.184.215.14:8080" })).status).toBe(200);
    for (const webhook_url of [
      `${long}a`,
      "ftp://public.example/",
      "javascript:alert(1)",
      "//public.example/",
      "public.example",
      "http://",
      "http:///path",
      "https://user@public.example/",
      "https://user:pass@public.example/",
      "https://:@public.example/",
      "https://@public.example/",
      "https:\\\\public.example/",
      "http://public.example /",
      " http://public.example/",
      "http://pub\tlic.example/",
      "http://public.example:99999/",
    ]) {
      const { status, body } = await create({ webhook_url });
      expect([webhook_url, status, Object.keys(body)]).toEqual([webhook_url, 400, ["webhook_url"]]);
    }
  });

  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "1２7.0.0.1",
    "0",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::10.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:1::1]",
    "[2001:db8::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[fd00::1]",
    "[ff02::1]",
    "[100::1]",
    "[4000::1]",
    "private.example",
    "mixed.example",
    "six.example",
  ])("are not created with http://%s/", async (host) => {
    const { status, body } = await create({ webhook_url: `http://${host}/` });
    expect([status, Object.keys(body)]).toEqual([400, ["webhook_url"]]);
  });

  it("do not reveal whether an internal name resolves", async () => {
    const [internal, unknown] = await Promise.all(
      ["http://mixed.example/", "http://outside.example/"].map((webhook_url) => create({ webhook_url })),
    );
    expect([internal?.status, unknown?.status]).toEqual([400, 400]);
    expect(internal?.body).toEqual(unknown?.body);
    expect(internal?.headers.get("x-error-code")).toBe(unknown?.headers.get("x-error-code"));
  });

  it("are refused after a short wait if their host name cannot be resolved, and the lookup waits in the caller's own queue", async () => {
    const asked: unknown[] = [];
    const stuck = await TestService.start(s.store, {}, (_name, { account, signal } = {}) => {
      asked.push(account);
      if (signal === undefined) throw new Error("Nothing ends this lookup.");
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const { status, body } = await stuck.post(base, fields, ann.token);
    expect([status, Object.keys(body), asked]).toEqual([400, ["webhook_url"], [ann.id]]);
  });

  it("can call private addresses in development", async () => {
    const development = await TestService.start(s.store, { webhookAllowPrivate: true }, lookup);
    const { status } = await development.post(base, { ...fields, webhook_url: "http://[::1]/" }, ann.token);
    await development.stop();
    expect(status).toBe(200);
  });
});
