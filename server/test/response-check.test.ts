import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { DocumentedResponses } from "./documented-responses.js";
import { takeDifferences } from "./response-check.js";
import { service, type TestService } from "./service.js";
import { newActivity } from "./team.js";

let s: TestService;

beforeAll(async () => {
  s = await service();
});

describe("a response that does not match the document", () => {
  it("is reported with the operation, the status and the differences", async () => {
    const manager = await s.manager();
    const device = await s.ownedDevice(manager);
    const path = `/api/v1/devices/${device.id}/bluetooth-config/`;
    const pairing = { mac_address: "A0:9E:1A:00:00:01", name: null };
    await s.send("PATCH", path, { token: manager.token, json: { pairing_1: pairing } });
    expect(takeDifferences()).toEqual([]);
    await s.store.database.queries.execute(sql`
      UPDATE bluetooth_configurations SET target = '{"pairing_1":{"name":null},"pairing_3":null}' WHERE device_id = ${device.id}`);
    await s.get(path, manager.token);
    expect(takeDifferences()).toEqual([
      "retrieveBluetoothConfiguration (GET) answered 200: /data/target must NOT have additional properties: pairing_3; " +
        "/data/target/pairing_1 must have required property 'mac_address'",
    ]);
  });

  it("is reported for a page that is sent in pieces, after the whole page was read", async () => {
    const manager = await s.manager();
    const activity = await newActivity(s, manager);
    await s.get("/api/v1/activities/", manager.token);
    expect(takeDifferences()).toEqual([]);
    await s.store.database.queries.execute(sql`UPDATE activities SET json = '[]' WHERE id = ${activity}`);
    await s.get("/api/v1/activities/", manager.token);
    expect(takeDifferences()).toEqual(["listActivities (GET) answered 200: /results/0/json must be object"]);
  });
});

describe("the document", () => {
  const json = (status: number, body: unknown) => ({ status, mediaType: "application/json", body });
  let answers: DocumentedResponses;

  beforeAll(async () => {
    answers = new DocumentedResponses((await s.get("/api/schema/")).body);
  });

  it("contains a schema for each JSON response of each operation, which does not match a number", () => {
    const unchecked = [...answers.stated()].filter(
      ({ path, method, status }) => answers.differences(path, method, json(status, 1)) === null,
    );
    expect(unchecked).toEqual([]);
  });

  it("does not match an undocumented status, media type or body, or a missing body", () => {
    const path = "/api/v1/athletes/{athlete}/";
    const differences = (method: string, answer: Parameters<typeof answers.differences>[2]) =>
      answers.differences(path, method, answer);
    expect(differences("delete", { status: 204, mediaType: undefined, body: undefined })).toBeNull();
    expect(differences("delete", json(204, {}))).toBe("there is a body, and none is stated");
    expect(differences("delete", json(202, {}))).toMatch(/^the status is not stated, only 204, 400, /);
    expect(differences("get", { status: 200, mediaType: undefined, body: undefined })).toBe(
      "there is no body, and application/json is stated",
    );
    expect(differences("get", { status: 200, mediaType: "text/html", body: "<p>" })).toBe(
      "the media type is text/html, and application/json is stated",
    );
  });

  it("contains messages by field, a detail or a message for a 400, and no other members", () => {
    const differences = (body: unknown) =>
      answers.differences("/api/v1/activities/", "post", json(400, body));
    for (const body of [{ json: { sport: ["Unknown."] } }, { detail: "Unreadable." }, { message: "Full." }]) {
      expect(differences(body)).toBeNull();
    }
    expect(differences({ name: "Unknown." })).not.toBeNull();
    expect(differences({ detail: "Unreadable.", stack: "at" })).not.toBeNull();
  });
});
