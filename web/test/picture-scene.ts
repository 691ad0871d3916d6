import { openAsBlob } from "node:fs";
import { createServer } from "node:http";
import { unwrap } from "asi-client";
import { type TeamScene, teamScene } from "./activity-scene.js";
import { fixturePath } from "./fixtures.js";
import type { TestService } from "./service.js";

export interface PictureScene {
  /** A manager with two athletes and their computed data. */
  team: TeamScene;
  /** The ids of their activities. */
  activities: { match: number; empty: number };
  timeframe: number;
  webhook: number;
}

/** Creates people and devices for the pictures. */
export async function populate(service: TestService): Promise<PictureScene> {
  const mara = await service.manager("mara");
  await service.manager("nina");
  await service.command("manager", "grant", "mara");
  const olga = await service.athlete("olga", { first_name: "Olga", last_name: "Orr", gender: "F" });
  const asMara = await service.clientOf("mara");
  for (const [n, serial_number] of ["AS-10017", "AS-10018", "AS-10019", "AS-10020"].entries()) {
    const device = { serial_number, device_name: `tracker-${n + 1}` };
    await service.addDevice(device.serial_number, device.device_name);
    await unwrap(asMara.POST("/api/v1/devices/take-ownership/", { body: device }));
  }
  await service.command("ownership", "backdate", "AS-10017", "--start", "2020-01-01T00:00:00Z");
  const params = { path: { device: 1 } };
  const custom_name = "Left wing";
  await unwrap(asMara.PUT("/api/v1/devices/{device}/set-custom-name/", { params, body: { custom_name } }));
  await unwrap(
    asMara.PATCH("/api/v1/devices/{device}/bluetooth-config/", {
      params,
      body: { pairing_1: { mac_address: "A0:9E:1A:00:00:01", name: "Chest strap" } },
    }),
  );
  await unwrap(
    asMara.POST("/api/v1/devices/{device}/release-ownership/", { params: { path: { device: 4 } } }),
  );
  const { job_id } = await asMara.upload(1, await openAsBlob(fixturePath("valid/match-hr.asi")));
  await asMara.waitForJob(job_id);
  for (const [first_name, last_name] of [
    ["Ida", "Lund"],
    ["Maximiliane-Theodora", "von und zu Wolkenstein-Trostburg"],
    ["<img src=x onerror=alert(1)>", ""],
  ] as const) {
    const athlete_profile = {
      first_name,
      last_name,
      gender: "F" as const,
      birth_date: "2001-02-03",
      weight: 61.5,
    };
    await unwrap(
      asMara.POST("/api/v1/athletes/create-managed/", { body: { managed_by: mara.id, athlete_profile } }),
    );
  }
  const asOlga = await service.clientOf("olga");
  const years = ["2024", "2025", "2026", "2027"];
  for (const [i, permission] of (["READ", "WRITE", "SHARE"] as const).entries()) {
    const start_time = `${years[i]}-03-01T00:00:00Z`;
    const expiration_time = `${years[i + 1]}-03-01T00:00:00Z`;
    await unwrap(
      asOlga.POST("/api/v1/athletes/{athlete}/managers/{manager}/permissions/", {
        params: { path: { athlete: olga.id, manager: mara.id } },
        body: { start_time, expiration_time, permission },
      }),
    );
  }
  await service.athlete("pia", { first_name: "Pia" });
  return playedMatch(service);
}

/** Creates a match with time frames, and a webhook with an accepted and a refused call. */
async function playedMatch(service: TestService): Promise<PictureScene> {
  const team = await teamScene(service, "tess");
  const match = (await team.activity("Sunday league, round 3")).id;
  const empty = (await team.activity("Training")).id;
  const frames = [
    await team.frame(match, 0, 0, 9, { name: "First half", max_hr: 190 }),
    await team.frame(match, 1, 0, 9, { name: "First half" }),
    await team.frame(match, 0, 10, 19, { name: "Second half", max_hr: 190 }),
  ];
  let status = 204;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(status === 204 ? "" : "The database is being moved.");
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  receiver.unref();
  const address = receiver.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const path = { activity: match };
  const hook = { secret_token: "secret", activity_events: true, timeframes_events: true };
  const create = (webhook_url: string) =>
    unwrap(
      team.client.POST("/api/v1/activities/{activity}/webhooks/", {
        params: { path },
        body: { ...hook, webhook_url },
      }),
    );
  const { id: webhook } = await create(`http://127.0.0.1:${port}/sessions`);
  await create(
    "https://example.org/a-receiver/with-a-long-address/that-does-not-fit-on-a-line/of-a-telephone",
  );
  const params = { path: { ...path, webhook } };
  for (const one of [204, 503]) {
    status = one;
    await unwrap(team.client.POST("/api/v1/activities/{activity}/webhooks/{webhook}/test/", { params }));
    for (let isEnded = false; !isEnded; ) {
      const { results } = await unwrap(
        team.client.GET("/api/v1/activities/{activity}/webhooks/{webhook}/deliveries/", { params }),
      );
      isEnded = results.every(({ state }) => state === "delivered" || state === "failed");
    }
  }
  return { team, activities: { match, empty }, timeframe: frames[0]?.id ?? 0, webhook };
}
