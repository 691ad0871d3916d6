/** Tests that the age of a time frame, which decides whose samples are, does not depend on the clock alone. */
import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { timeframes } from "../src/store/schema.js";
import { newStore } from "./databases.js";
import { TestService } from "./service.js";
import { minute, squadWithSession } from "./squad-scene.js";

it("a time frame that is created, moved or derived is newer than those of the device at the time, even if the clock was set back", async () => {
  const s = await TestService.start(await newStore());
  const { scene, first, second, session } = await squadWithSession(s, "Ann", "Bob");
  const { queries } = s.store.database;
  const ages = async () => {
    const ofDevice = and(eq(timeframes.ownerId, scene.manager.id), eq(timeframes.deviceId, first.device.id));
    const { id, assignedAt } = timeframes;
    return (await queries.select({ id }).from(timeframes).where(ofDevice).orderBy(assignedAt, id)).map(
      ({ id }) => id,
    );
  };
  const [moved] = (await scene.frames(session)).filter(({ athlete }) => athlete === second.athlete);
  const [own] = await ages();

  const sent = { ...moved, id: undefined, start_time: minute(10), end_time: minute(20) };
  const other = (await scene.send("POST", "/api/v1/timeframes/", sent)).body.id;
  const device = first.device.id;

  s.clock.advance(-60_000);
  const created = (await scene.send("POST", "/api/v1/timeframes/", { ...sent, device })).body.id;
  expect(await ages()).toEqual([own, created]);

  s.clock.advance(-60_000);
  expect((await scene.send("PATCH", `/api/v1/timeframes/${other}/`, { device })).status).toBe(200);
  expect(await ages()).toEqual([own, created, other]);

  s.clock.advance(-60_000);
  const next = await scene.session({ start_time: minute(15), end_time: minute(90) });
  const [derived] = (await scene.frames(next)).filter(({ athlete }) => athlete === first.athlete);
  expect(await ages()).toEqual([own, created, other, derived?.id]);
});

it("a time frame of a session keeps its age when it gets other times, unless it is extended into one of another athlete", async () => {
  const s = await TestService.start(await newStore());
  const { scene, first, second, session, path } = await squadWithSession(s, "Ann", "Bob");
  const { queries } = s.store.database;
  const [own] = await scene.frames(session);
  const athletes = async () => {
    const { athleteId, deviceId, assignedAt, id } = timeframes;
    const ofDevice = eq(deviceId, first.device.id);
    const rows = await queries.select({ athleteId }).from(timeframes).where(ofDevice).orderBy(assignedAt, id);
    return rows.map(({ athleteId }) => athleteId);
  };
  const wornByBob = async (from: number, to: number) => {
    const times = { start_time: minute(from), end_time: minute(to) };
    const sent = { ...own, id: undefined, athlete: second.athlete, device: first.device.id, ...times };
    expect((await scene.send("POST", "/api/v1/timeframes/", sent)).status).toBe(201);
  };
  const end = async (at: number) =>
    expect((await scene.send("PATCH", path, { end_time: minute(at) })).status).toBe(200);
  const [ann, bob] = [first.athlete, second.athlete];

  await wornByBob(10, 20);
  await end(61);
  expect(await athletes()).toEqual([ann, bob]);
  await end(50);
  expect(await athletes()).toEqual([ann, bob]);
  await wornByBob(55, 58);
  await end(60);
  expect(await athletes()).toEqual([bob, bob, ann]);
});
