import { ApiError, type Client, type Resource, unwrap } from "asi-client";

type Sample = Resource["RawDataSample"];

/**
 * Loads the newest samples of a device that the manager owns, newest first.
 * @throws ApiError `permission_denied` for a device that the manager does not own at present; AwayError
 */
export function latestSamples(
  client: Client,
  device: number,
  size: number,
  signal: AbortSignal,
): Promise<Sample[]> {
  const params = { path: { device }, query: { size } };
  const path = "/api/v1/devices/{device}/latest-preprocessed-data/";
  return unwrap(client.GET(path, { params, signal }));
}

/** Loads the newest sample. Returns null if there is none. @throws as `latestSamples` */
export async function latestSample(
  client: Client,
  device: number,
  signal: AbortSignal,
): Promise<Sample | null> {
  return (await latestSamples(client, device, 1, signal))[0] ?? null;
}

/** Returns whether the service has refused because the manager has never owned the device, or no longer owns it. */
export const isOfAnother = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "permission_denied";

/**
 * Finds the end of the manager's data from a device, which is the newest sample or the end of a past ownership.
 *
 * @param isOwned whether the manager owns the device, as far as the page knows
 * @returns ms since 1970 UTC; null if there is none
 * @throws ApiError, AwayError
 */
export async function latestMs(
  client: Client,
  device: number,
  isOwned: boolean,
  signal: AbortSignal,
): Promise<number | null> {
  try {
    if (isOwned) return (await latestSample(client, device, signal))?.["gnss.timestamp"] ?? null;
  } catch (error) {
    if (!isOfAnother(error)) throw error;
  }
  let latest: number | null = null;
  const params = { query: { device: String(device) } };
  for await (const { end_time } of client.list("/api/v1/device-ownerships/", { params, signal })) {
    latest = Math.max(latest ?? 0, Date.parse(end_time));
  }
  return latest;
}
