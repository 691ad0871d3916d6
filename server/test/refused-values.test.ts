/** Tests JSON values that the database cannot store, and log lines of failed statements. */
import { Writable } from "node:stream";
import { sql } from "drizzle-orm";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installErrors } from "../src/http/errors.js";
import { logOptions } from "../src/http/monitoring/log.js";
import { newStore } from "./databases.js";
import { type TestAccount, TestService } from "./service.js";

const SECRET = "the passphrase of ann";

let s: TestService;
let ann: TestAccount;
let activity: number;

beforeAll(async () => {
  s = await TestService.start(await newStore());
  ann = await s.manager();
  const json = { name: "A ride", json: { sport: "biking" }, json_schema: 1, owner: ann.id };
  activity = (await s.post("/api/v1/activities/", json, ann.token)).body.id;
});

afterAll(() => s.store.close());

/** Sends raw JSON text, because JSON.stringify would reject or change some numbers. */
const patch = (text: string) =>
  s.send("PATCH", `/api/v1/activities/${activity}/`, {
    token: ann.token,
    body: `{"json": {"sport": "biking", "more": ${text}}}`,
    headers: { "Content-Type": "application/json" },
  });

describe("a value that the database cannot store", () => {
  it.each([
    ["a NUL character", String.raw`"\u0000"`],
    ["a NUL character in a name", String.raw`{"a\u0000": 1}`],
    ["half of a surrogate pair", String.raw`"\ud800"`],
    ["a number outside the range of a double", "1e400"],
    ["a number outside the range of the database", "-1e200000"],
  ])("is refused with 400: %s", async (_name, text) => {
    expect(await patch(text)).toMatchObject({ status: 400 });
  });

  it.each([
    "1e-300",
    "5e-324",
    "1e-400",
    "1.7976931348623157e308",
    "-0",
    "0.1",
    "123456789012345678901234567890",
  ])("is not %s", async (text) => {
    expect(await patch(text)).toMatchObject({ status: 200, body: { json: { more: Number(text) + 0 } } });
  });

  it("is refused from any source, and is not reported as an error of the service", async () => {
    const { app, lines } = listener();
    app.get("/overflow/", () => s.store.database.queries.execute(sql`SELECT ${"1e999999"}::numeric`));
    app.get("/json/", () => s.store.database.queries.execute(sql`SELECT ${`{"a": ${SECRET}`}::jsonb`));
    for (const path of ["/overflow/", "/json/"]) {
      const answer = await app.inject(path);
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { non_field_errors: [expect.stringContaining("cannot be stored")] },
      ]);
    }
    expect(lines()).not.toContain(SECRET);
  });
});

describe("a statement that fails", () => {
  it("is logged without its parameters, row and quoted text", async () => {
    const { app, lines } = listener();
    const { queries } = s.store.database;
    app.get("/duplicate/", () =>
      queries.execute(
        sql`INSERT INTO accounts (role, username, username_key, email, email_key, created_at)
          SELECT role, ${SECRET}, username_key, ${SECRET}, ${SECRET}, now() FROM accounts WHERE id = ${ann.id}`,
      ),
    );
    app.get("/raised/", () =>
      queries.execute(
        sql.raw(`DO $$ BEGIN RAISE EXCEPTION 'not %', '${SECRET}' USING DETAIL = '${SECRET}'; END $$`),
      ),
    );
    app.get("/late/", async (_request, reply) => {
      const error = await queries.execute(sql`SELECT ${SECRET}::jsonb`).catch((thrown: unknown) => thrown);
      reply.log.error(error as Error);
      throw new Error("failed", { cause: error });
    });
    for (const path of ["/duplicate/", "/raised/", "/late/"]) {
      const { statusCode, body } = await app.inject(path);
      expect([path, statusCode === 500 || statusCode === 400]).toEqual([path, true]);
      expect(body).not.toContain(SECRET);
    }
    expect(lines()).toContain("accounts_username_key_key");
    expect(lines()).toContain('"code":"23505"');
    expect(lines()).not.toContain(SECRET);
  });
});

/** Creates a minimal application with the errors and the log of the service. */
function listener() {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  const app = Fastify({ logger: { ...logOptions("trace"), stream } });
  installErrors(app);
  return { app, lines: () => written };
}
