import { useSignal } from "@preact/signals";
import type { Resource } from "asi-client";
import { useId } from "preact/hooks";
import { Status } from "../../parts/status.js";
import type { DeviceRange } from "../../recording/device-range.js";
import { deviceName } from "../names.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import type { ViewProps } from "../view.js";
import { type AddressedRange, addressedDevice, addressedRanges } from "./address.js";
import { AddressedRanges } from "./addressed-ranges.js";
import { ChosenRanges } from "./chosen.js";
import { DeviceRecordings } from "./device-recordings.js";
import { openAtAddress, openInViewer } from "./open-in-viewer.js";
import { Upload } from "./upload.js";
import "./recordings.css";

type Device = Resource["Device"];

/** All devices that a manager owns or has owned, and those that the manager owns at present. */
interface Devices {
  all: readonly Device[];
  owned: ReadonlySet<number>;
}

/** The recordings of a manager's devices. */
export function RecordingsView(props: ViewProps) {
  const { client, params, query, go, workspace, settings } = props;
  const select = useId();
  const chosen = useSignal<readonly DeviceRange[]>([]);
  const request = useRequest("devices with recordings", async (signal): Promise<Devices> => {
    const devicesOf = async (current: boolean) => {
      const found: Device[] = [];
      const query = { current, ordering: "device_name", limit: 3000 };
      for await (const device of client.list("/api/v1/devices/", { params: { query }, signal })) {
        found.push(device);
      }
      return found;
    };
    const [all, current] = await Promise.all([devicesOf(false), devicesOf(true)]);
    return { all, owned: new Set(current.map(({ id }) => id)) };
  });
  const open = (ranges: readonly DeviceRange[], isAdding: boolean) =>
    isAdding ? openInViewer(props, ranges, true) : openAtAddress(props, ranges);
  const addressed = addressedRanges(params, query);
  const id = addressedDevice(params, query);

  return (
    <>
      <div class="view-head">
        <h1>Recordings</h1>
        <Requested request={request} what="the devices">
          {({ all }) =>
            all.length < 2 ? null : (
              <div class="device-choice">
                <label for={select}>Device</label>
                <select
                  id={select}
                  onChange={({ currentTarget }) => go(`/recordings/${currentTarget.value}`)}
                >
                  {all.map((device) => (
                    <option
                      key={device.id}
                      value={device.id}
                      selected={String(device.id) === deviceId(id, all)}
                    >
                      {deviceName(device)} ({device.serial_number})
                    </option>
                  ))}
                </select>
              </div>
            )
          }
        </Requested>
      </div>
      <Status workspace={workspace} />
      {request.data === undefined || request.data.owned.size === 0 ? null : (
        <Upload session={props.session} settings={settings} />
      )}
      <ChosenRanges chosen={chosen} workspace={workspace} settings={settings} onOpen={open} />
      {request.data === undefined || !addressed.some(isOfOneOf(request.data.all)) ? null : (
        <AddressedRanges
          key={JSON.stringify(addressed)}
          client={client}
          devices={request.data.all}
          addressed={addressed}
          onOpen={(ranges) =>
            // the address stays unchanged, because a different spelling would add an entry to the history
            openAtAddress(props, ranges, ranges.length === addressed.length ? location.hash : undefined)
          }
        />
      )}
      {request.data === undefined ? null : (
        <OfDevice
          {...props}
          id={deviceId(id, request.data.all)}
          devices={request.data}
          chosen={chosen}
          onOpen={(range) => openAtAddress(props, [range])}
        />
      )}
    </>
  );
}

/** Returns the device in the address, or the first one. */
const deviceId = (id: string | undefined, all: readonly Device[]): string | undefined =>
  id ?? all[0]?.id.toString();

const isOfOneOf = (devices: readonly Device[]) => (range: AddressedRange) =>
  devices.some(({ id }) => id === range.deviceId);

interface OfDeviceProps extends ViewProps {
  id: string | undefined;
  devices: Devices;
  chosen: { value: readonly DeviceRange[] };
  onOpen: (range: DeviceRange) => void;
}

function OfDevice({ id, devices: { all, owned }, ...props }: OfDeviceProps) {
  const device = all.find((one) => String(one.id) === id);
  if (device !== undefined) {
    return <DeviceRecordings key={device.id} {...props} device={device} isOwned={owned.has(device.id)} />;
  }
  return all.length === 0 ? (
    <Nothing title="No device yet">
      <p>
        Recordings belong to a device. <a href="#/devices">Claim one</a> by its serial number and name. Then
        load its files here.
      </p>
    </Nothing>
  ) : (
    <Nothing title="You have never owned this device">
      <p>
        Choose another one above, or <a href="#/devices">claim it</a> by its serial number and name.
      </p>
    </Nothing>
  );
}
