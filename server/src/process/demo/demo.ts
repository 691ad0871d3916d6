import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { and, eq } from "drizzle-orm";
import { acceptBulkLoad } from "../../domain/bulk-load/accept.js";
import { authorize } from "../../domain/change/access.js";
import type { Context } from "../../domain/change/context.js";
import { addDevices } from "../../domain/devices/add.js";
import { createManager } from "../../domain/managers/create.js";
import { grantManagedAthletes } from "../../domain/managers/grant.js";
import { backdateOwnership } from "../../domain/ownerships/backdate.js";
import { takeOwnership } from "../../domain/ownerships/take.js";
import { generatePassword } from "../../domain/secrets/passwords.js";
import { createApplication } from "../../oauth/applications.js";
import { latestTimestamp, sqlClientOf } from "../../store/samples/index.js";
import { ownerships } from "../../store/schema.js";
import { CURRENT_END } from "../../wire/types.js";
import { type DemoAccount, rememberDemo, rememberedDemo } from "./demo-account.js";
import { DEMO_START, demoRecording } from "./demo-session.js";

/** End of the range in the example command, which reads the first minute. */
const DEMO_STOP = new Date(DEMO_START.getTime() + 60_000);

/** Start of a session for the user to upload. */
const NEXT_SESSION = new Date(DEMO_START.getTime() + 24 * 3_600_000);

/** Start of the ownerships, before the demo recordings. */
const OWNED_SINCE = new Date("2020-01-01T00:00:00.000Z");

/**
 * Prepares the demonstration, or finds the demonstration of an earlier start in the same data.
 * @returns text that explains how to sign in to the page, and suggests actions and commands
 */
export async function prepareDemo(ctx: Context, url: string): Promise<string> {
  const known = await rememberedDemo(ctx);
  const demo = known?.demo ?? (await addDemo(ctx));
  if (known === null) await rememberDemo(ctx, demo);
  const [first] = demo.devices;
  const file = resolve(join(ctx.config.dataDir, `${first.deviceName}.asi`));
  const done = await stepsDone(ctx, demo);
  if (!done.upload && !existsSync(file))
    await writeFile(file, await demoRecording(first.serialNumber, 1.1, NEXT_SESSION));
  return instructions(ctx, url, demo, file, known?.hasPassword ?? true, done);
}

/** Completed suggestions of an earlier start. */
interface StepsDone {
  /** Whether the service has stored the next session. */
  upload: boolean;
  /** Whether the free device has an owner. */
  take: boolean;
}

async function stepsDone(
  { queries }: Context,
  { devices: [first, , free] }: DemoAccount,
): Promise<StepsDone> {
  const owners = await queries
    .select({ id: ownerships.id })
    .from(ownerships)
    .where(and(eq(ownerships.deviceId, free.id), eq(ownerships.endTime, CURRENT_END)));
  const stored = await latestTimestamp(sqlClientOf(queries), first.id, NEXT_SESSION.getTime());
  return { upload: stored !== null, take: owners.length > 0 };
}

/**
 * Adds an application, a manager with two devices, and a device without an owner; loads a recording for each device of the
 * manager.
 */
async function addDemo(ctx: Context): Promise<DemoAccount> {
  const mark = randomBytes(3).toString("hex");
  const username = `demo-${mark}`;
  const password = generatePassword();
  const { resource: manager } = await createManager(
    ctx,
    {
      username,
      email: `${username}@example.org`,
      password,
      manager_profile: { first_name: "Demo" },
      athlete_profile: { first_name: "Demo", last_name: "Athlete" },
    },
    true,
  );
  await grantManagedAthletes(ctx, username);
  const caller = {
    id: manager.id,
    role: "MANAGER" as const,
    username,
    canCreateManagedAthletes: true,
    scopes: null,
  };
  const devices = await addDevices(
    ctx,
    [1, 2, 3].map((n) => ({
      serialNumber: `DEMO-${mark.toUpperCase()}-${n}`,
      deviceName: `demo-${mark}-${n}`,
      deviceType: "Demo",
    })),
  );
  const [first, second, free] = devices.map(({ id, serialNumber, deviceName }) => ({
    id,
    serialNumber,
    deviceName,
  }));
  if (first === undefined || second === undefined || free === undefined)
    throw new Error("No device was added");
  for (const [n, { id, serialNumber, deviceName }] of [first, second].entries()) {
    await takeOwnership({ ...ctx, caller }, { serial_number: serialNumber, device_name: deviceName });
    await backdateOwnership(ctx, serialNumber, OWNED_SINCE);
    await loadDemo({ ...ctx, caller }, id, await demoRecording(serialNumber, 1 - n / 10));
  }
  const { clientId, clientSecret } = await createApplication(ctx, { name: "Demo", redirectUris: [] });
  return {
    managerId: manager.id,
    username,
    password,
    clientId,
    clientSecret,
    devices: [first, second, free],
  };
}

function instructions(
  { config }: Context,
  url: string,
  { username, password, clientId, clientSecret, devices: [first, second, free] }: DemoAccount,
  file: string,
  hasPassword: boolean,
  done: StepsDone,
): string {
  const receiver = config.webhookAllowPrivate
    ? "for a program on this machine, such as http://127.0.0.1:9000/"
    : "for a program at a public address";
  const steps = [
    ...(done.upload ? [] : [`  Upload a file   ${file}, to the device ${first.deviceName}`]),
    ...(done.take ? [] : [`  Claim a device   serial number ${free.serialNumber}, name ${free.deviceName}`]),
    `  Add a webhook   ${receiver}`,
  ];
  const page = `
Sign in at ${url}/#/sign-in
  Username        ${username}
  Password        ${hasPassword ? password : "(the one that you have set)"}
Next steps on the page, which already shows recordings of the devices ${first.id} and ${second.id}:
${steps.join("\n")}`;
  if (!hasPassword) return page;
  return `${page}

Or by commands:
TOKEN=$(curl -s ${url}/oauth2/token/ -d grant_type=password -d username=${username} -d password=${password} \\
  -d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/devices/${first.id}/preprocessed-data/?start=${DEMO_START.toISOString()}&stop=${DEMO_STOP.toISOString()}&limit=5"`;
}

/** Time limit for the bulk load, which takes a second or less. */
const LOAD_TIMEOUT_MS = 30_000;

/** Loads the demo recording like a client, and waits until it can be read. */
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
