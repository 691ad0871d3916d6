import type { Client, Resource } from "asi-client";

/** The end time of an ownership that has not ended. */
const CURRENT_END = "2999-12-31T23:59:59.000Z";

type Ownership = Resource["DeviceOwnership"];

export const isCurrent = ({ end_time }: Ownership): boolean => end_time === CURRENT_END;

/** Returns the latest ownership of each device, by device id. */
export async function latestOwnerships(client: Client, signal: AbortSignal): Promise<Map<number, Ownership>> {
  const latest = new Map<number, Ownership>();
  const params = { query: { limit: 3000 } };
  for await (const ownership of client.list("/api/v1/device-ownerships/", { params, signal })) {
    const known = latest.get(ownership.device);
    if (known === undefined || known.end_time < ownership.end_time) latest.set(ownership.device, ownership);
  }
  return latest;
}
