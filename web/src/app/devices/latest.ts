import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import { isCurrent } from "./ownerships.js";

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

/** The end of the manager's data from a device. */
export interface LatestData {
  ms: number;
  /** Whether it is the newest sample, and not the end of a past ownership. */
  isSample: boolean;
}

/**
 * Finds the end of the manager's data from a device. The service returns only samples from the present ownership.
 *
 * @param isOwned whether the manager owns the device, as far as the page knows
 * @returns null if there is neither a sample nor a past ownership
 * @throws ApiError, AwayError
 */
export async function latestData(
  client: Client,
  device: number,
  isOwned: boolean,
  signal: AbortSignal,
): Promise<LatestData | null> {
  try {
    const sample = isOwned ? await latestSample(client, device, signal) : null;
    if (sample !== null) return { ms: sample["gnss.timestamp"], isSample: true };
  } catch (error) {
    if (!isOfAnother(error)) throw error;
  }
  let ms = 0;
  const params = { query: { device: String(device) } };
  for await (const one of client.list("/api/v1/device-ownerships/", { params, signal })) {
    if (!isCurrent(one)) ms = Math.max(ms, Date.parse(one.end_time));
  }
  return ms === 0 ? null : { ms, isSample: false };
}
