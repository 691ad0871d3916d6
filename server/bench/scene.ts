/**
 * A service with the data of one team, for measurements. It uses real HTTP and a real database, and stores samples as a
 * load does.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { readConfig } from "../src/config/config.js";
import { insertManagedAthlete } from "../src/domain/accounts/managed-athlete.js";
import { transact } from "../src/domain/change/change.js";
import type { Context } from "../src/domain/change/context.js";
import { addDevices } from "../src/domain/devices/add.js";
import { backdateOwnership } from "../src/domain/ownerships/backdate.js";
import { createApplication } from "../src/oauth/applications.js";
import { ownContext, systemClock } from "../src/process/own-context.js";
import { type Service, startService } from "../src/process/service.js";
import { openStore, type Store } from "../src/store/open.js";
import { allocateColumns, FIX_3D, sqlClientOf, storeSamples } from "../src/store/samples/index.js";
import { jsonSchemas } from "../src/store/schema.js";

export const START_MS = Date.UTC(2024, 5, 1, 10);
const SAMPLES_PER_SECOND = 10;

export interface Scene {
  store: Store;
  service: Service;
  ctx: Context;
  url: string;
  token: string;
  managerId: number;
  deviceId: number;
  athleteId: number;
  /** Adds a device that the manager has owned since `START_MS`; returns its id. */
  addDevice(serialNumber: string): Promise<number>;
  post(path: string, json: unknown): Promise<Record<string, unknown> & { id: number }>;
  put(path: string, json: unknown): Promise<void>;
  patch(path: string, json: unknown): Promise<void>;
  get(path: string): Promise<void>;
  schemaId(name: string): Promise<number>;
  close(): Promise<void>;
}

/** @param databaseUrl URL of a PostgreSQL server; null for the embedded database in a separate folder */
export async function openScene(databaseUrl: string | null): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "asi-server-bench-"));
  const config = {
    ...readConfig({ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "silent", DATA_DIR: folder }),
    databaseUrl,
    throttleUserPerMinute: 1_000_000_000,
    throttleRawDataPerMinute: 1_000_000_000,
    throttleFilesPerMinute: 1_000_000_000,
  };
  const store = await openStore(config);
  const service = await startService(config, store);
  const url = service.url ?? "";
  const ctx = ownContext(config, store, systemClock, () => service.worker.wake(), service.computer);
  const request = async (
    method: string,
    path: string,
    body: BodyInit | null,
    headers: Record<string, string>,
  ) => {
    const response = await fetch(url + path, { method, body, headers });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const json = { "Content-Type": "application/json" };

  const username = "bench";
  const password = "a long passphrase";
  const manager = await request(
    "POST",
    "/api/v1/managers/",
    JSON.stringify({ username, password, email: "bench@example.org" }),
    json,
  );
  const { clientId, clientSecret } = await createApplication(ctx, { name: "bench", redirectUris: [] });
  const credentials = { username, password, client_id: clientId, client_secret: clientSecret };
  const form = new URLSearchParams({ grant_type: "password", ...credentials });
  const { access_token: token } = await request("POST", "/oauth2/token/", form, {});
  const authorized = { ...json, Authorization: `Bearer ${token}` };
  const post: Scene["post"] = (path, body) => request("POST", path, JSON.stringify(body), authorized);

  const addDevice: Scene["addDevice"] = async (serialNumber) => {
    const deviceName = `device ${serialNumber}`;
    await addDevices(ctx, [{ serialNumber, deviceName, deviceType: "T" }]);
    const { id } = await post("/api/v1/devices/take-ownership/", {
      serial_number: serialNumber,
      device_name: deviceName,
    });
    await backdateOwnership(ctx, serialNumber, new Date(START_MS));
    return id;
  };
  const deviceId = await addDevice("MATCH");
  const { id: athleteId } = await transact(ctx, "bench", (change) =>
    insertManagedAthlete(change, manager.id, { birthDate: "1996-06-02" }),
  );
  return {
    store,
    service,
    ctx,
    url,
    token,
    managerId: manager.id,
    deviceId,
    athleteId,
    addDevice,
    post,
    async put(path, body) {
      await request("PUT", path, JSON.stringify(body), authorized);
    },
    async get(path) {
      await request("GET", path, null, authorized);
    },
    async patch(path, body) {
      await request("PATCH", path, JSON.stringify(body), authorized);
    },
    async schemaId(name) {
      const [row] = await ctx.queries.select().from(jsonSchemas).where(eq(jsonSchemas.name, name));
      return row?.id ?? 0;
    },
    async close() {
      await service.stop();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Stores a match with varying speed at 10 Hz and a heart rate once a second. */
export async function storeMatch(
  { ctx, deviceId }: Pick<Scene, "ctx" | "deviceId">,
  seconds: number,
): Promise<void> {
  const columns = allocateColumns(seconds * SAMPLES_PER_SECOND);
  for (let k = 0; k < columns.length; k++) {
    columns.timestampMs[k] = START_MS + k * (1000 / SAMPLES_PER_SECOND);
    columns.latitudeE7[k] = 457_000_000 + Math.round(300_000 * Math.sin(k / 700));
    columns.longitudeE7[k] = 48_000_000 + Math.round(300_000 * Math.cos(k / 900));
    columns.altitudeMm[k] = 170_000 + ((k * 37) % 900);
    columns.speedMmPerS[k] = Math.round(
      2500 + 2400 * Math.sin(k / 40) + 1500 * Math.sin(k / 210) + ((k * k * 7 + k * 13) % 61),
    );
    columns.hr[k] = k % 10 === 3 ? 120 + Math.round(50 * Math.sin(k / 3000)) : 0;
    columns.fixType[k] = FIX_3D;
  }
  await transact(ctx, "bench", ({ queries }) => storeSamples(sqlClientOf(queries), deviceId, [columns]));
}
