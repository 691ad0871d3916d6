import type { Client, Resource } from "asi-client";
import { useEffect, useRef } from "preact/hooks";
import type { DeviceRange } from "../../recording/device-range.js";
import type { TimeWindow } from "../../view/window.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { rangesBetween } from "./ranges.js";

/** The times of an address such as `?from=2025-05-17T14:30:00Z&to=2025-05-17T15:15:00Z`; null for that of a calendar. */
export function addressedWindow(query: URLSearchParams): TimeWindow | null {
  const [startMs, stopMs] = ["from", "to"].map((name) => Date.parse(query.get(name) ?? ""));
  return startMs !== undefined && stopMs !== undefined && startMs <= stopMs ? { startMs, stopMs } : null;
}

interface Props {
  client: Client;
  device: Resource["Device"];
  window: TimeWindow;
  onOpen: (range: DeviceRange) => void;
}

/** Opens the range of an address. */
export function AddressedRange({ client, device, window: { startMs, stopMs }, onOpen }: Props) {
  const request = useRequest(`addressed ${device.id} ${startMs} ${stopMs}`, async (signal) => {
    const ranges = await rangesBetween(client, device, startMs, stopMs, signal);
    const [first] = ranges;
    const size = ranges.reduce((sum, range) => sum + range.size, 0);
    return first === undefined ? null : { ...first, startMs, stopMs, size };
  });
  const { data } = request;
  const isOpened = useRef(false);
  useEffect(() => {
    if (data == null || isOpened.current) return;
    isOpened.current = true;
    onOpen(data);
  }, [data, onOpen]);
  return (
    <Requested request={request} what="the recording of this address">
      {(range) =>
        range === null ? (
          <Nothing title="There is no recording of this time">
            <p>It was removed, or is of a time in which you did not own the device. Choose another one.</p>
          </Nothing>
        ) : null
      }
    </Requested>
  );
}
