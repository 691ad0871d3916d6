import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { devices } from "../src/store/schema.js";
import { service, startService, type TestAccount, type TestDevice, type TestService } from "./service.js";
import { Team } from "./team.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  device = await s.ownedDevice(ann);
});

const names = (body: { results: { device_name: string }[] }) =>
  body.results.map(({ device_name }) => device_name);

describe("devices", () => {
  it("the list contains every device ever owned, once; with `current`, only devices owned now", async () => {
    const carl = await s.manager();
    const kept = await s.ownedDevice(carl);
    const left = await s.ownedDevice(carl);
    await s.release(left, carl);
    await s.take(left, carl);
    await s.release(left, carl);
    const all = await s.get("/api/v1/devices/", carl.token);
    expect(all.body).toMatchObject({ count: 2, page: 1, next: null, previous: null });
    expect(names(all.body)).toEqual([kept.device_name, left.device_name]);
    expect(names((await s.get("/api/v1/devices/?current=TRUE", carl.token)).body)).toEqual([
      kept.device_name,
    ]);
    const dan = await s.manager();
    expect((await s.get("/api/v1/devices/", dan.token)).body).toMatchObject({ count: 0, results: [] });
    expect((await s.get("/api/v1/devices/", (await s.athlete()).token)).status).toBe(403);
  });

  it("the list is filtered, searched and ordered", async () => {
    const dora = await s.manager();
    for (const [deviceName, deviceType] of [
      ["b_10%", "T1"],
      ["a-20", "T2"],
      ["C 30", "T2"],
    ] as const) {
      await s.ownedDevice(dora, { deviceName, deviceType });
    }
    const list = async (query: string) => names((await s.get(`/api/v1/devices/?${query}`, dora.token)).body);
    expect(await list("ordering=device_name")).toEqual(["a-20", "b_10%", "C 30"]);
    expect(await list("ordering=-Device_Name")).toEqual(["C 30", "b_10%", "a-20"]);
    expect(await list("ordering=-device_type,DEVICE_NAME")).toEqual(["a-20", "C 30", "b_10%"]);
    expect(await list("ordering=nothing")).toEqual(["b_10%", "a-20", "C 30"]);
    expect(await list("device_name=c")).toEqual(["C 30"]);
    expect(await list("device_name=%25")).toEqual(["b_10%"]);
    expect(await list("device_name=_")).toEqual(["b_10%"]);
    expect(await list("device_type=T2")).toEqual(["a-20", "C 30"]);
    expect(await list("device_type=t2")).toEqual([]);
    expect(await list('search=t2,"C 30"')).toEqual(["C 30"]);
    expect(await list("activation_time_from=2999-01-01T00:00:00Z")).toEqual([]);
    expect(await list("activation_time_to=2999-01-01 00:00:00%2B0100")).toHaveLength(3);
    expect(await list("activity=12")).toEqual([]);
    const wrong = await s.get(
      "/api/v1/devices/?current=perhaps&activation_time_to=soon&activity=x",
      dora.token,
    );
    expect(wrong.status).toBe(400);
    expect(Object.keys(wrong.body).sort()).toEqual(["activation_time_to", "activity", "current"]);
  });

  it("the list can be filtered by activation time, with inclusive bounds, and ordered by it", async () => {
    const erin = await s.manager();
    const later = await startService();
    later.clock.advance(60_000);
    const [first, second] = [await s.device(), await s.device()];
    await later.take(second, erin);
    await s.take(first, erin);
    // A device is activated when it is first taken.
    const { results } = (await s.get("/api/v1/device-ownerships/", erin.token)).body;
    const activated = (device: TestDevice) =>
      results.find((one: { device: number }) => one.device === device.id).start_time;
    const list = async (query: string) =>
      (await s.get(`/api/v1/devices/?${query}`, erin.token)).body.results.map(({ id }: { id: number }) => id);
    expect(await list(`activation_time_from=${activated(second)}`)).toEqual([second.id]);
    expect(await list(`activation_time_to=${activated(first)}`)).toEqual([first.id]);
    expect(await list("ordering=activation_time")).toEqual([first.id, second.id]);
    expect(await list("ordering=-activation_time")).toEqual([second.id, first.id]);
    expect(await list("ordering=-serial_number")).toEqual(
      [first, second].sort((a, b) => (a.serial_number < b.serial_number ? 1 : -1)).map(({ id }) => id),
    );
  });

  it("the list does not reveal links of a device to activities of others", async () => {
    const team = await Team.of(s);
    await team.create();
    const list = async (token: string) =>
      (await s.get(`/api/v1/devices/?activity=${team.activity}`, token)).body.count;
    expect(await list(team.manager.token)).toBe(1);
    const erin = await s.manager();
    await s.release(team.device, team.manager);
    await s.take(team.device, erin);
    expect(await list(erin.token)).toBe(0);
  });

  it("the list is paginated", async () => {
    const eve = await s.manager();
    for (let i = 0; i < 3; i++) await s.ownedDevice(eve, { deviceName: `d${i}` });
    const page = (query: string) => s.get(`/api/v1/devices/?${query}`, eve.token);
    expect((await page("limit=2")).body).toMatchObject({ count: 3, page: 1, next: 2, previous: null });
    expect((await page("limit=2&page=2")).body).toMatchObject({ count: 3, page: 2, next: null, previous: 1 });
    for (const limit of ["0", "-1", "many", "99999"]) {
      expect(names((await page(`limit=${limit}`)).body)).toHaveLength(3);
    }
    for (const beyond of ["3", "0", "-1", "x", "1e3", "99999999999999999999"]) {
      const { status, body } = await page(`limit=2&page=${beyond}`);
      expect([status, body]).toEqual([404, { detail: "Invalid page." }]);
    }
  });

  it("one device is visible only to the current owner, and the filters of the list apply", async () => {
    const path = `/api/v1/devices/${device.id}/`;
    const { status, body } = await s.get(path, ann.token);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: device.id,
      device_name: device.device_name,
      serial_number: device.serial_number,
      device_type: "T1",
      firmware_version: null,
      custom_name: null,
    });
    expect((await s.get(`${path}?device_type=T9`, ann.token)).status).toBe(404);
    expect((await s.get(path, bob.token)).status).toBe(403);
    expect((await s.get("/api/v1/devices/999999/", ann.token)).status).toBe(404);
  });

  it("the current owner can set and clear a custom name, which only that owner sees", async () => {
    const mine = await s.ownedDevice(ann);
    const path = `/api/v1/devices/${mine.id}/set-custom-name/`;
    const set = (custom_name: unknown) => s.send("PUT", path, { token: ann.token, json: { custom_name } });
    expect((await set("Élan #7 (left)")).body.custom_name).toBe("Élan #7 (left)");
    for (const wrong of [" x", "x ", "a<b>", "x".repeat(61), 7]) expect((await set(wrong)).status).toBe(400);
    expect((await s.get("/api/v1/devices/?custom_name=ÉLAN", ann.token)).body.count).toBe(1);
    await s.release(mine, ann);
    expect((await set("again")).status).toBe(403);
    expect((await s.get("/api/v1/devices/?search=élan", ann.token)).body.count).toBe(0);
    const listed = (await s.get("/api/v1/devices/", ann.token)).body.results;
    expect(listed.find(({ id }: { id: number }) => id === mine.id).custom_name).toBeNull();
    await s.take(mine, ann);
    expect((await s.get(`/api/v1/devices/${mine.id}/`, ann.token)).body.custom_name).toBe("Élan #7 (left)");
    expect((await set("")).body.custom_name).toBeNull();
  });
});

describe("ownerships", () => {
  it("the list contains the caller's own ownerships, filtered", async () => {
    const carl = await s.manager();
    const first = await s.ownedDevice(carl);
    const second = await s.ownedDevice(carl);
    await s.release(second, carl);
    const list = async (query = "") =>
      (await s.get(`/api/v1/device-ownerships/?${query}`, carl.token)).body.results.map(
        ({ device }: { device: number }) => device,
      );
    expect(await list()).toEqual([first.id, second.id]);
    expect(await list(`device=${second.id}`)).toEqual([second.id]);
    expect(await list("device=none")).toEqual([]);
    expect(await list(`device_name=${first.device_name}`)).toEqual([first.id]);
    expect(await list("end_time_from=2999-12-31T23:59:59.000Z")).toEqual([first.id]);
    expect(await list("start_time_to=2020-01-01T00:00:00Z")).toEqual([]);
    expect(await list(`device_name=${first.device_name.toUpperCase()}`)).toEqual([]);
    expect(await list(`device_name=${first.device_name.slice(1)}`)).toEqual([]);
    const { results } = (await s.get("/api/v1/device-ownerships/", carl.token)).body;
    const ended = results.find((one: { device: number }) => one.device === second.id);
    const { start_time, end_time } = ended;
    // Both bounds are included.
    expect(await list(`end_time_from=${end_time}&end_time_to=${end_time}`)).toEqual([second.id]);
    expect(await list(`start_time_from=${start_time}&start_time_to=${start_time}`)).toContain(second.id);
    const after = new Date(Date.parse(start_time) + 1).toISOString();
    expect(await list(`start_time_from=${after}`)).toEqual([]);
    expect((await s.get("/api/v1/device-ownerships/?start_time_from=x", carl.token)).status).toBe(400);
  });

  it("one ownership is shown with its device, and only to its manager", async () => {
    const { body } = await s.get(`/api/v1/device-ownerships/?device=${device.id}`, ann.token);
    const [{ id }] = body.results;
    const one = await s.get(`/api/v1/device-ownerships/${id}/`, ann.token);
    expect(one.body).toMatchObject({
      id,
      device: device.id,
      manager: ann.id,
      end_time: "2999-12-31T23:59:59.000Z",
      device_details: { serial_number: device.serial_number },
    });
    expect(one.body.start_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await s.get(`/api/v1/device-ownerships/${id}/`, bob.token)).status).toBe(404);
    expect((await s.get(`/api/v1/device-ownerships/${id}/?device=1x`, ann.token)).status).toBe(404);
  });

  it("a device without an owner can be taken by anyone who knows its serial number and its name", async () => {
    const free = await s.device();
    expect((await s.post("/api/v1/devices/take-ownership/", { serial_number: "x" }, ann.token)).body).toEqual(
      {
        device_name: ["This field is required."],
      },
    );
    expect((await s.take({ ...free, device_name: "other" }, ann)).status).toBe(404);
    const taken = await s.take(free, ann);
    expect([taken.status, taken.body.id]).toEqual([201, free.id]);
    expect((await s.take(free, ann)).status).toBe(201);
    expect((await s.take(free, bob)).status).toBe(403);
    const { body } = await s.get(`/api/v1/device-ownerships/?device=${free.id}`, ann.token);
    expect(body.count).toBe(1);
  });

  it("an ownership lasts from taking to release, and the first ownership activates the device", async () => {
    const free = await s.device();
    const own = await startService();
    const activation = async () => {
      const [row] = await s.store.database.queries.select().from(devices).where(eq(devices.id, free.id));
      return row?.activationTime?.toISOString();
    };
    const times = [
      "2031-05-01T10:00:00.000Z",
      "2031-05-01T11:00:00.000Z",
      "2031-05-01T12:00:00.000Z",
    ] as const;
    const at = (time: string) => own.clock.stopAt(Date.parse(time));
    const of = async (manager: TestAccount) => {
      const { body } = await s.get(`/api/v1/device-ownerships/?device=${free.id}`, manager.token);
      return body.results.map((one: Record<string, unknown>) => [one.start_time, one.end_time]);
    };
    // The current tokens have expired at that time.
    const [first, second] = [await s.manager(), await s.manager()];
    const then = async (account: TestAccount) => ({
      ...account,
      token: await own.logIn(account.username, account.password),
    });
    expect(await activation()).toBeUndefined();
    at(times[0]);
    const taker = await then(first);
    await own.take(free, taker);
    expect(await of(taker)).toEqual([[times[0], "2999-12-31T23:59:59.000Z"]]);
    at(times[1]);
    // Taking an owned device changes nothing.
    expect((await own.take(free, taker)).status).toBe(201);
    expect(await of(taker)).toEqual([[times[0], "2999-12-31T23:59:59.000Z"]]);
    await own.release(free, taker);
    expect(await of(taker)).toEqual([[times[0], times[1]]]);
    at(times[2]);
    const next = await then(second);
    await own.take(free, next);
    expect(await of(next)).toEqual([[times[2], "2999-12-31T23:59:59.000Z"]]);
    expect(await activation()).toBe(times[0]);
  });

  it("only one of many concurrent requests in two processes takes a device", async () => {
    const other = await startService();
    const takers = await Promise.all(Array.from({ length: 6 }, () => s.manager()));
    for (let round = 0; round < 3; round++) {
      const free = await s.device();
      const answers = await Promise.all(takers.map((taker, i) => (i % 2 ? s : other).take(free, taker)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403]);
      const winner = takers[answers.findIndex(({ status }) => status === 201)];
      expect((await s.get(`/api/v1/devices/${free.id}/`, winner?.token)).status).toBe(200);
    }
    await other.stop();
  });

  it("requests with the same idempotency key take a device once", async () => {
    const [one, two] = [await s.device(), await s.device()];
    const take = ({ serial_number, device_name }: TestDevice, key: string) =>
      s.send("POST", "/api/v1/devices/take-ownership/", {
        token: ann.token,
        json: { serial_number, device_name },
        headers: { "Idempotency-Key": key },
      });
    const key = `key-${Math.random()}`;
    const answers = await Promise.all([take(one, key), take(one, key), take(one, key)]);
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(Array(3).fill([201, one.id]));
    const reused = await take(two, key);
    expect(reused.status).toBe(400);
    expect(reused.body).toHaveProperty("message");
    const release = () =>
      s.send("POST", `/api/v1/devices/${one.id}/release-ownership/`, {
        token: ann.token,
        headers: { "Idempotency-Key": key },
      });
    expect((await release()).status).toBe(204);
    expect((await release()).status).toBe(204);
    expect((await s.release(one, ann)).status).toBe(403);
  });

  it("concurrent requests with the same idempotency key release a device once", async () => {
    for (let trial = 0; trial < 10; trial++) {
      const device = await s.ownedDevice(ann);
      const release = () =>
        s.send("POST", `/api/v1/devices/${device.id}/release-ownership/`, {
          token: ann.token,
          headers: { "Idempotency-Key": `release-${device.id}` },
        });
      const answers = await Promise.all(Array.from({ length: 10 }, release));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    }
  });

  it("a refused request leaves its idempotency key unused", async () => {
    const device = await s.ownedDevice(bob);
    const take = () =>
      s.send("POST", "/api/v1/devices/take-ownership/", {
        token: ann.token,
        json: { serial_number: device.serial_number, device_name: device.device_name },
        headers: { "Idempotency-Key": `key-${device.id}` },
      });
    expect((await take()).status).toBe(403);
    await s.release(device, bob);
    expect((await take()).status).toBe(201);
  });

  it("a release ends the ownership or returns the reason why it cannot", async () => {
    const never = await s.device();
    const refused = await s.release(never, ann);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ message: expect.any(String) });
    const mine = await s.ownedDevice(ann);
    expect((await s.release(mine, bob)).status).toBe(403);
    expect((await s.release(mine, ann)).status).toBe(204);
    expect((await s.release(mine, ann)).status).toBe(403);
    expect((await s.get(`/api/v1/devices/${mine.id}/`, ann.token)).status).toBe(403);
    expect((await s.take(mine, bob)).status).toBe(201);
  });
});
