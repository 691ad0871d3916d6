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
