import type { Client, Resource } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { useRequest } from "../parts/request.js";
import { dayAndTime, since } from "../parts/when.js";
import { latestSample } from "./latest.js";

interface Props {
  client: Client;
  /** A device of who is signed in. */
  device: Resource["Device"];
  zone: Zone;
}

/** When the newest sample of a device was measured. The API does not say when a device was last heard of otherwise. */
export function LatestSample({ client, device, zone }: Props) {
  const { data, error } = useRequest(`latest ${device.id}`, async (signal) => ({
    ms: (await latestSample(client, device.id, signal))?.["gnss.timestamp"] ?? null,
  }));
  if (error != null) return <>could not be loaded</>;
  if (data === undefined) return <>…</>;
  if (data.ms === null) return <>none yet</>;
  return (
    <time dateTime={new Date(data.ms).toISOString()} title={dayAndTime(data.ms, zone)}>
      {since(data.ms, Date.now(), zone)}
    </time>
  );
}
