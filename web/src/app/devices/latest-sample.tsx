import type { Client, Resource } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { type Loaded, useRequest } from "../parts/request.js";
import { dayAndTime, since } from "../parts/when.js";
import { latestSample } from "./latest.js";

/** Loads the time of the newest sample of a device. The API has no other information about its last contact. */
export const useLatest = (client: Client, device: number): Loaded<{ ms: number | null }> =>
  useRequest(`latest ${device}`, async (signal) => ({
    ms: (await latestSample(client, device, signal))?.["gnss.timestamp"] ?? null,
  }));

interface Props {
  client: Client;
  /** A device of the signed-in user. */
  device: Resource["Device"];
  zone: Zone;
}

export const LatestSample = ({ client, device, zone }: Props) => (
  <LatestTime latest={useLatest(client, device.id)} zone={zone} />
);

export function LatestTime({
  latest: { data, error },
  zone,
}: {
  latest: Loaded<{ ms: number | null }>;
  zone: Zone;
}) {
  if (error != null) return <>could not be loaded</>;
  if (data === undefined) return <>…</>;
  if (data.ms === null) return <>none since you claimed it</>;
  return (
    <time dateTime={new Date(data.ms).toISOString()} title={dayAndTime(data.ms, zone)}>
      {since(data.ms, Date.now(), zone)}
    </time>
  );
}
