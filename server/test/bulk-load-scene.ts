/** A service with two managers and a device. It has its own database, because its jobs run and its clock is moved. */
import { afterAll, beforeAll } from "vitest";
import { newStore, type TestAccount, type TestDevice, TestService } from "./service.js";

// A database of its own: here jobs are run and the clock is moved.
export let s: TestService;
export let ann: TestAccount;
export let bob: TestAccount;
export let device: TestDevice;

export const START = "2024-03-01T10:00:00.000Z";
export const START_MS = Date.parse(START);
export const iso = (ms: number) => new Date(ms).toISOString();

export const path = (id: number) => `/api/v1/devices/${id}/bulk-load/`;
export const post = (asi_b64: unknown, by = ann, id = device.id) => s.post(path(id), { asi_b64 }, by.token);
export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

export async function collect(
  slices: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = [];
  for await (const slice of slices) collected.push(slice);
  return collected;
}

/** A device owned since before the recordings. */
export async function longOwned(owner: TestAccount): Promise<TestDevice> {
  const owned = await s.ownedDevice(owner);
  await s.backdate(owned, "2024-01-01T00:00:00Z");
  return owned;
}

export const countOf = async (of: TestDevice, by: TestAccount, from = START_MS, to = START_MS + 3_600_000) =>
  (
    await s.get(`/api/v1/devices/${of.id}/preprocessed-data-ranges/?start=${from}&stop=${to}`, by.token)
  ).body.results
    .map(({ size }: { size: number }) => size)
    .reduce((sum: number, size: number) => sum + size, 0);

/** Starts a service with two managers and a device before the tests of a file. */
export function withBulkLoads(): void {
  beforeAll(async () => {
    s = await TestService.start(await newStore());
    [ann, bob] = await Promise.all([s.manager(), s.manager()]);
    device = await s.ownedDevice(ann);
  });
  afterAll(async () => {
    await s.stop();
    await s.store.close();
  });
}
