/** Tests that connections with live data for several devices count until their work has ended. */
import { afterEach, describe, expect } from "vitest";
import { EventClient } from "./event-source.js";
import { withOwnService } from "./file-service.js";
import { hold } from "./held-locks.js";
import { minute, SquadScene } from "./squad-scene.js";
import { store } from "./team.js";

const isPostgres = process.env.TEST_DATABASE === "postgres";
const it = withOwnService({ livePollMs: 20, liveHeartbeatMs: 50 });

const open: EventClient[] = [];

afterEach(() => {
  for (const client of open.splice(0)) client.leave();
});

describe.runIf(isPostgres)("a connection with live data for several devices", () => {
  it("waits for the poll of the connection that it replaces, and a further connection is refused", async ({
    service: s,
  }) => {
    const scene = await SquadScene.of(s);
    const device = await scene.device();
    await store(s, device.id, [{ t: Date.parse(minute(0)), speed: 3000 }]);
    const follow = async () => {
      const client = await EventClient.open(`${s.service.url}/api/v2/live/`, {
        Authorization: `Bearer ${scene.manager.token}`,
      });
      open.push(client);
      return client;
    };
    const first = await follow();
    await first.next();
    const held = await hold(s, "LOCK TABLE sample_chunks IN ACCESS EXCLUSIVE MODE");
    await held.waiters(1);
    first.leave();
    const others = [follow(), follow()];
    const { status } = await Promise.race(others);
    // Release the lock before the expectation, because the service cannot stop while its statements wait.
    await held.release();
    expect(status).toBe(429);
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 429]);
  });
});
