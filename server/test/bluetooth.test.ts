import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { setTarget } from "../src/domain/bluetooth/configuration.js";
import { reportStart } from "../src/domain/bluetooth/report-start.js";
import { transact } from "../src/domain/change/change.js";
import { bluetoothCommands } from "../src/store/schema.js";
import { service, type TestAccount, type TestDevice, type TestService } from "./service.js";

let s: TestService;
let ann: TestAccount;
let bob: TestAccount;
let device: TestDevice;

beforeAll(async () => {
  s = await service();
  [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  device = await s.ownedDevice(ann);
});

const path = (of: TestDevice) => `/api/v1/devices/${of.id}/bluetooth-config/`;
const strap = { mac_address: "A0:9E:1A:00:00:01", name: "strap" };
const meter = { mac_address: "A0:9E:1A:00:00:02", name: null };

describe("Bluetooth", () => {
  it("the configuration is empty before the first change, and visible only to the owner", async () => {
    const { body } = await s.get(path(device), ann.token);
    expect(body).toEqual({ status: "success", data: { current: {}, target: {} } });
    expect((await s.get(path(device), bob.token)).status).toBe(403);
  });

  it("a change sets the target; the current configuration follows when the device has started with it", async () => {
    const mine = await s.ownedDevice(ann);
    const patch = (json: unknown, query = "") =>
      s.send("PATCH", path(mine) + query, { token: ann.token, json });
    const lower = { ...strap, mac_address: strap.mac_address.toLowerCase() };
    expect((await patch({ pairing_1: lower }, "?immediate_sending=true")).body.data).toEqual({
      current: {},
      target: { pairing_1: strap },
    });
    expect((await patch({ pairing_2: { mac_address: meter.mac_address } })).body.data.target).toEqual({
      pairing_1: strap,
      pairing_2: meter,
    });
    await reportStart(s.ctx, {
      serialNumber: mine.serial_number,
      configurationVersion: 1,
      firmwareVersion: "2.1",
    });
    expect((await s.get(path(mine), ann.token)).body.data.current).toEqual({ pairing_1: strap });
    await reportStart(s.ctx, { serialNumber: mine.serial_number });
    expect((await s.get(path(mine), ann.token)).body.data.current).toEqual({
      pairing_1: strap,
      pairing_2: meter,
    });
    expect((await patch({ pairing_1: null })).body.data).toEqual({
      current: { pairing_1: strap, pairing_2: meter },
      target: { pairing_2: meter },
    });
    expect((await s.get(`/api/v1/devices/${mine.id}/`, ann.token)).body.firmware_version).toBe("2.1");
  });

  it("only the last hundred changes are kept for a device that never starts", async () => {
    const { id } = await s.ownedDevice(ann);
    await transact(s.ctx, "test", async (unit) => {
      for (let version = 1; version <= 120; version++) await setTarget(unit, id, {}, false);
    });
    const { queries } = s.store.database;
    const waiting = await queries
      .select({ version: bluetoothCommands.configurationVersion })
      .from(bluetoothCommands)
      .where(eq(bluetoothCommands.deviceId, id))
      .orderBy(bluetoothCommands.configurationVersion);
    expect([waiting.length, waiting[0]?.version, waiting.at(-1)?.version]).toEqual([100, 21, 120]);
  });

  it("one request changes both sensors", async () => {
    const mine = await s.ownedDevice(ann);
    const { status, body } = await s.send("PATCH", path(mine), {
      token: ann.token,
      json: { pairing_1: strap, pairing_2: meter },
    });
    expect([status, body]).toEqual([
      200,
      { status: "success", data: { current: {}, target: { pairing_1: strap, pairing_2: meter } } },
    ]);
  });

  it("a device does not get settings that it does not support", async () => {
    for (const json of [
      {},
      { pairing_3: strap },
      { pairing_1: { ...strap, mac: "x" } },
      { pairing_1: { mac_address: "A0:9E" } },
      { pairing_1: {} },
      { pairing_1: strap, pairing_2: strap },
      [],
      "x",
    ]) {
      const { status } = await s.send("PATCH", path(device), { token: ann.token, json });
      expect([json, status]).toEqual([json, 400]);
    }
    expect((await s.get(path(device), ann.token)).body.data.target).toEqual({});
  });

  it("another owner cannot see the sensors of the former owner", async () => {
    const passed = await s.ownedDevice(ann);
    await s.send("PATCH", path(passed), { token: ann.token, json: { pairing_1: strap } });
    await reportStart(s.ctx, { serialNumber: passed.serial_number });
    await s.release(passed, ann);
    await s.take(passed, ann);
    expect((await s.get(path(passed), ann.token)).body.data).toEqual({
      current: { pairing_1: strap },
      target: { pairing_1: strap },
    });
    await s.release(passed, ann);
    await s.take(passed, bob);
    expect((await s.get(path(passed), bob.token)).body.data).toEqual({ current: {}, target: {} });
    await reportStart(s.ctx, { serialNumber: passed.serial_number });
    expect((await s.get(path(passed), bob.token)).body.data).toEqual({ current: {}, target: {} });
  });
});
