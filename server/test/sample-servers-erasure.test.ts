/** Tests the erasure of a person whose samples are on several servers. */
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { Scene, START } from "./personal-data-scene.js";
import type { PostgresServer } from "./postgres.js";
import { deviceOnEach, isSpread, startServers, storeOn } from "./sample-servers.js";
import { type TestDevice, TestService } from "./service.js";
import { store } from "./team.js";

describe.runIf(isSpread)("the erasure of an athlete with samples on several servers", () => {
  let servers: PostgresServer[];
  let s: TestService;
  let scene: Scene;
  let devices: TestDevice[];

  beforeAll(async () => {
    servers = await startServers(3);
    const spread = await storeOn(servers);
    s = await TestService.startLasting(spread, { rawDataCacheBytes: 0 });
    scene = await Scene.of(s);
    devices = await deviceOnEach(s, scene.team.manager, 3);
    return async () => {
      await s.stop();
      await spread.close();
      for (const server of servers) await server.stop();
    };
  });

  /** Stores two minutes of samples for each device, one of them in a time frame of the athlete. */
  async function record(): Promise<void> {
    const samples = Array.from({ length: 120 }, (_, second) => ({ t: START + second * 1000, speed: 3000 }));
    for (const { id } of devices) {
      await store(s, id, samples);
      const { status } = await scene.team.create({
        device: id,
        athlete: scene.id,
        start_time: new Date(START).toISOString(),
        end_time: new Date(START + 59_000).toISOString(),
      });
      expect(status).toBe(201);
    }
  }
  const left = async () => {
    const span = `start=${START}&stop=${START + 3_600_000}`;
    const counts = [];
    for (const { id } of devices) {
      const { body } = await s.get(
        `/api/v1/devices/${id}/preprocessed-data/?${span}`,
        scene.team.manager.token,
      );
      counts.push(body.count);
    }
    return counts;
  };
  const erase = () => commands["athlete erase"](s.ctx, { id: String(scene.id), samples: true, yes: true });

  it("stops at an unreachable server, and continues when the server is back until no samples are left on any server", async () => {
    await record();
    expect(await left()).toEqual([120, 120, 120]);
    const [, lost] = servers as [PostgresServer, PostgresServer];
    await lost.halt("fast");
    await expect(erase()).rejects.toThrow();
    // The erasure is not reported as done.
    expect((await s.get(scene.path, scene.token)).status).toBe(200);
    await lost.restart();
    await expect.poll(async () => (await s.get("/health/ready/")).body).toEqual({ status: "ok" });
    expect(await erase()).toMatchObject({ erased: true });
    expect(await left()).toEqual([60, 60, 60]);
    expect((await s.get(scene.path, scene.token)).status).toBe(403);
  });
});
