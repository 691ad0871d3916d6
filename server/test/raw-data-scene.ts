/** Provides the recordings for tests of raw data, in a separate service, because these tests run jobs. */
import { newStore } from "./databases.js";
import { walk } from "./recordings.js";
import { TestService } from "./service.js";

export const START = "2024-03-01T10:00:00.000Z";
export const START_MS = Date.parse(START);
export const iso = (ms: number) => new Date(ms).toISOString();

/** Starts a service with a device whose recordings form two ranges: a minute at 10 Hz, and a second one 5 minutes and 1 ms later. */
export async function startRawData() {
  const s = await TestService.start(await newStore());
  const [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  const device = await s.longOwned(ann);
  await s.load(device, ann, await walk(device.serial_number, START, 600));
  await s.load(device, ann, await walk(device.serial_number, iso(START_MS + 59_900 + 300_001), 50));
  return { s, ann, bob, device };
}
