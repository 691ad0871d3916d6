import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { authorize } from "../domain/access.js";
import { acceptBulkLoad } from "../domain/bulk-load/accept.js";
import type { Context } from "../domain/context.js";
import { addDevices } from "../domain/devices/add.js";
import { createManager } from "../domain/managers/create.js";
import { grantManagedAthletes } from "../domain/managers/grant.js";
import { backdateOwnership } from "../domain/ownerships/backdate.js";
import { takeOwnership } from "../domain/ownerships/take.js";
import { generatePassword } from "../domain/passwords.js";
import { createApplication } from "../oauth/applications.js";
import { DEMO_START, demoRecording } from "./demo-session.js";

/** The example command reads the first minute. */
const DEMO_STOP = new Date(DEMO_START.getTime() + 60_000);

/** Before the demo recording begins. */
const OWNED_SINCE = new Date("2020-01-01T00:00:00.000Z");

/**
 * Adds an application, and a manager with two devices; loads a recording for each device.
 * @returns how to sign in to the page, and the commands to try next
 */
export async function prepareDemo(ctx: Context, url: string): Promise<string> {
  const mark = randomBytes(3).toString("hex");
  const username = `demo-${mark}`;
  const password = generatePassword();
  const { resource: manager } = await createManager(
    ctx,
    { username, email: `${username}@example.org`, password, manager_profile: { first_name: "Demo" } },
    true,
  );
  await grantManagedAthletes(ctx, username);
  const caller = { id: manager.id, role: "MANAGER" as const, username, canCreateManagedAthletes: true };
  const devices = await addDevices(
    ctx,
    [1, 2].map((n) => ({
      serialNumber: `DEMO-${mark.toUpperCase()}-${n}`,
      deviceName: `demo-${mark}-${n}`,
      deviceType: "Demo",
    })),
  );
  for (const { serialNumber, deviceName } of devices) {
    await takeOwnership({ ...ctx, caller }, { serial_number: serialNumber, device_name: deviceName });
    await backdateOwnership(ctx, serialNumber, OWNED_SINCE);
  }
  const [first] = devices;
  if (first === undefined) throw new Error("No device was added");
  for (const [n, { id, serialNumber }] of devices.entries()) {
    await loadDemo({ ...ctx, caller }, id, await demoRecording(serialNumber, 1 - n / 10));
  }
  const { clientId, clientSecret } = await createApplication(ctx, { name: "Demo", redirectUris: [] });
  return `Demo manager ${username}, password ${password}, devices ${devices.map(({ id }) => id).join(" and ")}. Sign in at ${url}/#/sign-in

TOKEN=$(curl -s ${url}/oauth2/token/ -d grant_type=password -d username=${username} -d password=${password} \\
  -d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/devices/${first.id}/preprocessed-data/?start=${DEMO_START.toISOString()}&stop=${DEMO_STOP.toISOString()}&limit=5"`;
}

/** How long to wait for the bulk load; it takes a second or less. */
const LOAD_TIMEOUT_MS = 30_000;

/** Loads the demo recording in the same way as a client, and waits until it can be read. */
async function loadDemo(ctx: Context, device: number, recording: Uint8Array): Promise<void> {
  const owned = await authorize(ctx, "bulkLoad", { device });
  const job = await acceptBulkLoad(ctx, owned, recording);
  const deadline = Date.now() + LOAD_TIMEOUT_MS;
  for (;;) {
    const { state } = await authorize(ctx, "retrieveJob", { job: job.job_id });
    if (state === "SUCCESS") return;
    if (state === "FAILURE" || Date.now() > deadline)
      throw new Error(`The demo recording was not loaded: ${state}`);
    await sleep(50);
  }
}
