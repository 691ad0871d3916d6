import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { CARELESS, processorTimeOf } from "./processor-time.js";
import { recordingOf, rowAt } from "./recordings.js";
import { service, type TestAccount, type TestDevice, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  ann = await s.manager();
  device = await s.ownedDevice(ann);
});

const MANAGERS = "/api/v1/managers/";
const ACTIVITIES = "/api/v1/activities/";
const bulkLoad = () => `/api/v1/devices/${device.id}/bulk-load/`;
const MIB = 1024 * 1024;

const post = (path: string, body: Uint8Array, token?: string) =>
  s.send("POST", path, {
    token,
    body: body as Uint8Array<ArrayBuffer>,
    headers: { "Content-Type": "application/json" },
  });

/** Processor times for harmless bodies by path and length. */
const harmlessMs = new Map<string, number>();

/** Posts a body with the text, and a body with harmless text of similar length. @returns the ratio of their processor times */
async function costOf(path: string, bodyWith: (text: string) => string, text: string, token?: string) {
  const harmless = Buffer.from(bodyWith("x".repeat(text.length)));
  const key = `${path} ${Math.round(harmless.length / MIB)}`;
  const knownMs = harmlessMs.get(key) ?? (await processorTimeOf(() => post(path, harmless, token))).ms;
  harmlessMs.set(key, knownMs);
  const { ms, result } = await processorTimeOf(() => post(path, Buffer.from(bodyWith(text)), token));
  return { cost: ms / knownMs, status: result.status };
}

/** Repeats a text up to about this size in bytes. */
const repeated = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));

/** Texts that take a careless parser far longer than other texts of their length. */
const UNITS = {
  "digits that look like a large number": `${"1".repeat(209)}A`,
  "an escaped pair of surrogates": "\\ud83d\\ude00",
  "escaped characters": "\\u0061",
  quotes: '\\"',
  backslashes: "\\\\",
};

describe("a JSON body", () => {
  it("takes as long as a harmless body of the same length, for a registration by anyone", async () => {
    const base = JSON.stringify({ username: `user-${randomUUID()}`, email: "x@example.org" }).slice(0, -1);
    for (const [kind, unit] of Object.entries(UNITS)) {
      const bodyWith = (text: string) => `${base},"other":"${text}"}`;
      const { cost } = await costOf(MANAGERS, bodyWith, repeated(unit, 2.5 * MIB));
      expect(cost, kind).toBeLessThan(CARELESS);
    }
    for (const unit of ["[],", '{"a":1},', '"\\ud83d\\ude00",', "1,", "[[[[[]]]]],"]) {
      const bodyWith = (text: string) => `{"username":[${/^x/.test(text) ? `"${text}"` : `${text}1`}]}`;
      const { cost, status } = await costOf(MANAGERS, bodyWith, repeated(unit, 2.5 * MIB));
      expect([unit, status]).toEqual([unit, expect.toBeOneOf([400, 413])]);
      expect(cost, unit).toBeLessThan(CARELESS);
    }
  });

  it("takes as long as a harmless body of the same length, for an activity with a course", async () => {
    for (const [kind, unit] of Object.entries(UNITS)) {
      const bodyWith = (gpx: string) =>
        `{"name":"x","json":{"sport":"soccer","gpx":"${gpx}"},"json_schema":3,"owner":${ann.id}}`;
      const { cost } = await costOf(ACTIVITIES, bodyWith, repeated(unit, 3 * MIB), ann.token);
      expect(cost, kind).toBeLessThan(CARELESS);
    }
    for (const unit of ["[],", '"\\ud83d\\ude00",', "1,"]) {
      const bodyWith = (text: string) => `{"json":[${/^x/.test(text) ? `"${text}"` : `${text}1`}]}`;
      const { cost, status } = await costOf(ACTIVITIES, bodyWith, repeated(unit, 3 * MIB), ann.token);
      expect(status).toBeOneOf([400, 413]);
      expect(cost, unit).toBeLessThan(CARELESS);
    }
  });

  it("takes as long as a harmless body of the same length, for a bulk load", async () => {
    for (const [kind, unit] of Object.entries({ ...UNITS, base64: "QUJDRA", "line breaks": "\\r\\n" })) {
      const bodyWith = (text: string) => `{"asi_b64":"${text}"}`;
      const { cost, status } = await costOf(bulkLoad(), bodyWith, repeated(unit, 6 * MIB), ann.token);
      expect([kind, status]).toEqual([kind, 400]);
      expect(cost, kind).toBeLessThan(CARELESS);
    }
  });

  it("takes no longer if it repeats the member with the recording", async () => {
    const recording = `"asi_b64":"${"A".repeat(6 * MIB)}"}`;
    const bodyWith = (text: string) => `{${text.startsWith("x") ? `"x":"${text}",` : text}${recording}`;
    const { cost, status } = await costOf(bulkLoad(), bodyWith, '"asi_b64":"",'.repeat(4_000), ann.token);
    expect(status).toBe(400);
    expect(cost).toBeLessThan(CARELESS);
  });

  it("is accepted if it contains a real recording of 30 MB", async () => {
    const rows = (function* () {
      for (let i = 0; i < 290_000; i++) yield rowAt(Date.parse("2024-03-01T10:00:00Z") + 100 * i);
    })();
    const recording = await recordingOf(device.serial_number, rows);
    expect(recording.length).toBeGreaterThan(29e6);
    const { status } = await s.post(
      bulkLoad(),
      { asi_b64: Buffer.from(recording).toString("base64") },
      ann.token,
    );
    expect(status).toBe(200);
  });

  it("has at most 64 KiB, even with a picture", async () => {
    const picture = Buffer.concat([
      Buffer.from("\xff\xd8\xff", "latin1"),
      Buffer.alloc(2 * MIB - 3),
    ]).toString("base64");
    const body = (profile_picture: string | undefined, filler: number) => ({
      username: `user-${randomUUID()}`,
      email: "x@example.org",
      athlete_profile: { profile_picture },
      filler: Array.from({ length: filler / 10 }, () => "x".repeat(7)),
    });
    expect((await s.post("/api/v1/athletes/", body(picture, 1_000))).status).toBe(201);
    expect((await s.post("/api/v1/athletes/", body(picture, 70_000))).status).toBe(413);
    expect((await s.post("/api/v1/athletes/", body(undefined, 60_000))).status).toBe(201);
    expect((await s.post("/api/v1/athletes/", body(undefined, 70_000))).status).toBe(413);
    const { status, body: refusal } = await s.send("PATCH", `${MANAGERS}${ann.id}/`, {
      token: ann.token,
      json: { filler: "x".repeat(66_000) },
    });
    expect([status, refusal]).toEqual([413, { detail: "The request body is too large." }]);
  });

  it("has at most 64 levels, 5,000 members and 50,000 values", async () => {
    const nested = (levels: number) => `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`;
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":1`).join(",");
    for (const [text, detail] of [
      [`{"x":${nested(65)}}`, "The body has too many levels, at most 64."],
      [`{"json":{${members(5_000)}}}`, "The body has too many members, at most 5000."],
      [`{"json":[1${",1".repeat(50_000)}]}`, "The body has too many values, at most 50000."],
    ] as const) {
      const { status, body } = await post(ACTIVITIES, Buffer.from(text), ann.token);
      expect([status, body]).toEqual([400, { detail }]);
    }
    for (const text of [
      `{"x":${nested(64)}}`,
      `{"json":{${members(4_999)}}}`,
      `{"json":[1${",1".repeat(49_000)}]}`,
    ]) {
      const { status, body } = await post(ACTIVITIES, Buffer.from(text), ann.token);
      expect([status, body]).toEqual([400, expect.objectContaining({ name: ["This field is required."] })]);
    }
  });
});

describe("the body of a bulk load", () => {
  const text = (json: string) => post(bulkLoad(), Buffer.from(json), ann.token);

  it("is refused if it is not valid JSON, even outside the recording", async () => {
    for (const json of [
      '{"asi_b64":"QUJD"',
      '{"asi_b64":"QUJD',
      '{"asi_b64":"QU\nJD"}',
      '{"asi_b64":"QU\\xJD"}',
      '{"asi_b64":"QU\\u00zzJD"}',
      '{"asi_b64" "QUJD"}',
      '{"asi_b64":"QUJD",}',
      '["asi_b64":"QUJD"]',
      '{"asi_b64":"QUJD"} x',
      '{"asi_b64":"QUJD","__proto__":1}',
    ]) {
      const { status, body } = await text(json);
      expect([json, status, body]).toEqual([json, 400, { detail: "JSON parse error." }]);
    }
    expect((await text('{"asi_b64":"QUJD","x":"\\u0000"}')).body).toHaveProperty("detail");
    expect((await text('{"asi_b64":"QUJD","x":1e999}')).body).toHaveProperty("detail");
    expect((await text(`{"asi_b64":"QUJD","x":"${"y".repeat(70_000)}"}`)).status).toBe(413);
  });

  it("provides only the recording in the outermost object, and the last one if there are several", async () => {
    const asi = Buffer.from(await recordingOf(device.serial_number, [rowAt(1_700_000_000_000)])).toString(
      "base64",
    );
    const slashed = asi.replaceAll("/", "\\/").replaceAll("+", "\\u002B");
    for (const json of [
      `{"asi_b64":"${asi}"}`,
      ` { "x" : {"asi_b64":"###"}, "y": ["asi_b64", ":"], "asi_b64"\t:\n"${slashed}" , "z": "\\"asi_b64\\":" } `,
      `{"asi_b64":"###","asi_b64":"${asi}"}`.replace("###", "QUJD"),
    ]) {
      expect([json.slice(0, 40), (await text(json)).status]).toEqual([json.slice(0, 40), 200]);
    }
    for (const json of [
      '{"x":{"asi_b64":"QUJD"}}',
      "{}",
      '{"asi_b64":["QUJD"]}',
      '{"asi_b64":{"asi_b64":"QUJD"}}',
    ]) {
      const { status, body } = await text(json);
      expect([json, status, Object.keys(body)]).toEqual([json, 400, ["asi_b64"]]);
    }
  });
});
