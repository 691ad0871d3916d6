import { type Client, unwrap } from "asi-client";
import type { Settings } from "../../view/settings.js";
import { useRequest } from "../parts/request.js";
import { dayAndTime, since } from "../parts/when.js";

interface Props {
  client: Client;
  /** A device of who is signed in. */
  device: number;
  settings: Settings;
}

/** When the newest sample of a device was measured. */
export function LatestSample({ client, device, settings }: Props) {
  const { data, error } = useRequest(`latest ${device}`, async (signal) => {
    const params = { path: { device }, query: { size: 1 } };
    const [sample] = await unwrap(
      client.GET("/api/v1/devices/{device}/latest-preprocessed-data/", { params, signal }),
    );
    return { atMs: sample?.["gnss.timestamp"] ?? null };
  });
  if (error != null) return <>could not be loaded</>;
  if (data === undefined) return <>…</>;
  if (data.atMs === null) return <>none yet</>;
  const at = new Date(data.atMs);
  return (
    <time dateTime={at.toISOString()} title={dayAndTime(data.atMs, settings)}>
      {since(data.atMs, Date.now(), settings)}
    </time>
  );
}
