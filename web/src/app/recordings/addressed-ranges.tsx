import type { Client, Resource } from "asi-client";
import { useEffect, useRef } from "preact/hooks";
import type { DeviceRange } from "../../recording/device-range.js";
import type { TimeWindow } from "../../view/window.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import type { AddressedRange } from "./address.js";
import { rangesBetween } from "./ranges.js";

type Device = Resource["Device"];

interface Props {
  client: Client;
  /** All current and previous devices of the manager. */
  devices: readonly Device[];
  addressed: readonly AddressedRange[];
  onOpen: (ranges: readonly DeviceRange[]) => void;
}

/** Opens the ranges of an address, and reports missing ones. */
export function AddressedRanges({ client, devices, addressed, onOpen }: Props) {
  const request = useRequest(`addressed ${JSON.stringify(addressed)}`, async (signal) => {
    const found = await Promise.all(
      addressed.map(({ deviceId, window }) => {
        const device = devices.find(({ id }) => id === deviceId);
        return device === undefined ? null : rangeIn(client, device, window, signal);
      }),
    );
    return found.filter((range) => range !== null);
  });
  const { data } = request;
  const isOpened = useRef(false);
  useEffect(() => {
    if (data?.length !== addressed.length || isOpened.current) return;
    isOpened.current = true;
    onOpen(data);
  }, [data, addressed, onOpen]);
  return (
    <Requested
      request={request}
      what={addressed.length === 1 ? "the recording at this address" : "the recordings at this address"}
    >
      {(found) =>
        found.length === addressed.length ? null : (
          <Missing found={found} count={addressed.length} onOpen={onOpen} />
        )
      }
    </Requested>
  );
}

/** Finds the recorded range of a device in a period. Returns null if there is none. */
async function rangeIn(
  client: Client,
  device: Device,
  { startMs, stopMs }: TimeWindow,
  signal: AbortSignal,
): Promise<DeviceRange | null> {
  const ranges = await rangesBetween(client, device, startMs, stopMs, signal);
  const [first] = ranges;
  const size = ranges.reduce((sum, range) => sum + range.size, 0);
  return first === undefined ? null : { ...first, startMs, stopMs, size };
}

function Missing({
  found,
  count,
  onOpen,
}: {
  found: readonly DeviceRange[];
  count: number;
  onOpen: Props["onOpen"];
}) {
  if (count === 1) {
    return (
      <Nothing title="There is no recording for this time">
        <p>It was removed, or it is from a time when you did not own the device. Choose another one.</p>
      </Nothing>
    );
  }
  return (
    <Nothing title={`Of the ${count} recordings at this address, ${count - found.length} cannot be opened`}>
      <p>
        A recording was removed, or is from a device or a time that you do not own.{" "}
        {found.length === 0 ? "Choose others." : null}
      </p>
      {found.length === 0 ? null : (
        <button type="button" onClick={() => onOpen(found)}>
          Open the others
        </button>
      )}
    </Nothing>
  );
}
