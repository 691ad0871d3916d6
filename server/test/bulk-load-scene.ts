/**
 * Provides a service with two managers and a device. It has a separate database, because tests run its jobs and set its clock.
 */
import { withOwnService } from "./file-service.js";
import type { TestAccount, TestDevice, TestService } from "./service.js";

export const START = "2024-03-01T10:00:00.000Z";
export const START_MS = Date.parse(START);
export const iso = (ms: number) => new Date(ms).toISOString();

export const path = (id: number) => `/api/v1/devices/${id}/bulk-load/`;
export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

export async function collect(
  slices: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = [];
  for await (const slice of slices) collected.push(slice);
  return collected;
}

async function bulkLoadsOn(s: TestService) {
  const [ann, bob] = await Promise.all([s.manager(), s.manager()]);
  const device = await s.ownedDevice(ann);

  const post = (asi_b64: unknown, by = ann, id = device.id) => s.post(path(id), { asi_b64 }, by.token);

  const countOf = async (of: TestDevice, by: TestAccount, from = START_MS, to = START_MS + 3_600_000) =>
    (
      await s.get(`/api/v1/devices/${of.id}/preprocessed-data-ranges/?start=${from}&stop=${to}`, by.token)
    ).body.results
      .map(({ size }: { size: number }) => size)
      .reduce((sum: number, size: number) => sum + size, 0);

  return { s, ann, bob, device, post, countOf };
}

/** Creates an `it` for a file with a service, two managers and a device. */
export const withBulkLoads = () =>
  withOwnService().extend("bulkLoads", { scope: "file" }, ({ service }) => bulkLoadsOn(service));
