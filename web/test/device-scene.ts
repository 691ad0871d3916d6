import { randomBytes } from "node:crypto";
import { demoRows, type EncodableRow, encode } from "asi-convert";
import type { Page } from "playwright-core";
import { showView, type TestManager, type TestService } from "./service.js";
import { openSignedIn } from "./signed-in.js";

export const KICK_OFF_MS = Date.UTC(2025, 4, 17, 14, 30);
export const MINUTE_MS = 60_000;
/** The recording is longer than one page of the service. */
export const LONG_MS = 43 * MINUTE_MS;

export interface TestFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export async function recording(
  serial: string,
  rows: Iterable<EncodableRow>,
  name = "match.asi",
): Promise<TestFile> {
  const stream = encode(rows, { serial, deviceName: "tracker", deviceType: "T1" });
  const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
  return { name, mimeType: "", buffer };
}

export const match = (serial: string, startMs = KICK_OFF_MS, durationMs = MINUTE_MS, seed = 1) =>
  recording(serial, demoRows({ seed, startMs, durationMs }));

export interface TestDevice {
  serial: string;
  id: number;
}

/**
 * Creates a device without an owner.
 * @returns its serial number
 */
export async function freeDevice(service: TestService): Promise<string> {
  const serial = `R-${randomBytes(4).toString("hex")}`;
  await service.addDevice(serial);
  return serial;
}

/** Creates a device that the signed-in user has owned for a long time. */
export async function ownedDevice(service: TestService, page: Page): Promise<TestDevice> {
  const serial = await freeDevice(service);
  const id = await page.evaluate(async (serial_number) => {
    const response = await fetch("api/v1/devices/take-ownership/", {
      method: "POST",
      headers: { "X-Asi-Page": "1", "Content-Type": "application/json" },
      body: JSON.stringify({ serial_number, device_name: "tracker" }),
    });
    return (await response.json()).id as number;
  }, serial);
  await service.command("ownership", "backdate", serial, "--start", "2020-01-01T00:00:00Z");
  return { serial, id };
}

/** Opens the page with the recordings of a new device. */
export async function openDevice(
  service: TestService,
  manager: TestManager,
  options = {},
): Promise<TestDevice & { page: Page }> {
  const page = await openSignedIn(service, manager, options);
  const device = await ownedDevice(service, page);
  await showView(page, `#/recordings/${device.id}`, "Recordings");
  await page
    .getByRole("region", { name: "Calendar" })
    .getByText("You have no recordings of this device yet.")
    .waitFor();
  return { page, ...device };
}

export const uploads = (page: Page) => page.getByRole("region", { name: "Upload recordings" });
export const load = (page: Page, files: TestFile | TestFile[]) => page.setInputFiles("[data-upload]", files);
export const rangeButtons = (page: Page) => page.getByRole("button", { name: /^Open / });

/** Limits the upload speed of the page. */
export async function limitUpload(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const uploadThroughput = bytesPerSecond;
  const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await session.send("Network.emulateNetworkConditions", limits);
}
