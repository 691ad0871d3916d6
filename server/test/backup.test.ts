import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backup, restore } from "../src/store/backup.js";
import { withoutServers } from "../src/store/presence.js";
import { newScratchFolder } from "./scratch.js";
import { newStore, TestService } from "./service.js";

describe("backup", () => {
  it("brings everything back on an empty database: rows, bytes, numbers that go on", async () => {
    const folder = newScratchFolder();
    const file = join(folder, "backup.gz");
    const first = await TestService.start(await newStore());
    const ann = await first.manager({ external_id: "Ä ext" });
    const device = await first.ownedDevice(ann);
    const { clientId, clientSecret } = await first.client();
    const written = await backup(first.store.database.queries, file);
    await first.manager();
    await first.stop();

    const second = await TestService.start(await newStore());
    expect(await restore(second.store.database.queries, file)).toBe(written);
    const { body } = await second.get("/api/v1/account/", ann.token);
    expect(body).toMatchObject({ id: ann.id, external_id: "Ä ext" });
    expect((await second.get(`/api/v1/devices/${device.id}/`, ann.token)).status).toBe(200);
    const login = { grant_type: "password", username: ann.username, password: ann.password };
    const token = await second.token({ ...login, client_id: clientId, client_secret: clientSecret });
    expect(token.status).toBe(200);
    const bob = await second.manager();
    expect(bob.id).toBe(ann.id + 1);
    await second.stop();
    await Promise.all([first.store.close(), second.store.close()]);
  });

  it("refuses a file that is none, and leaves everything as it was", async () => {
    const file = join(newScratchFolder(), "other");
    writeFileSync(file, "not a backup");
    const s = await TestService.start(await newStore());
    const ann = await s.manager();
    await expect(restore(s.store.database.queries, file)).rejects.toThrow("not a backup");
    expect((await s.get("/api/v1/account/", ann.token)).status).toBe(200);
    if (s.store.database.kind === "postgres") {
      expect(await withoutServers(s.store.database, async () => undefined)).toBe(false);
    }
    await s.stop();
    expect(await withoutServers(s.store.database, async () => undefined)).toBe(true);
    await s.store.close();
  });
});
