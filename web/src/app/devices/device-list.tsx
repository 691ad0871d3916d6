import { ApiError, type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { useKept } from "../../view/kept-state.js";
import { NO_VALUE } from "../../view/values.js";
import { deviceName } from "../names.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { ListView, useSearchedList } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { LatestSample } from "./latest-sample.js";
import { isCurrent, latestOwnerships } from "./ownerships.js";

/** The service does not reveal which of the two is wrong, because an attacker could otherwise guess serial numbers. */
const NO_SUCH_DEVICE =
  "The service has no device with this serial number and name. Enter both exactly as printed on the device.";

type Device = Resource["Device"];

/** All current and previous devices of the manager. */
export function DeviceList({ client, settings, query, go }: ViewProps) {
  const [isAll, setAll] = useKept("all", false);
  // a link can name the device to add
  const wanted = query.get("take");
  const [isTaking, setTaking] = useState(wanted !== null);
  const list = useSearchedList(`devices ${isAll}`, (query, signal) =>
    unwrap(
      client.GET("/api/v1/devices/", {
        params: { query: { ...query, ordering: "device_name", current: !isAll } },
        signal,
      }),
    ),
  );
  const ownerships = useRequest("ownerships", (signal) => latestOwnerships(client, signal));
  const zone = settings.zone.value;

  const stateOf = ({ id }: Device) => {
    const ownership = ownerships.data?.get(id);
    if (ownership === undefined) return "";
    return isCurrent(ownership)
      ? `Yours since ${dayAndTime(ownership.start_time, zone)}`
      : `Released ${dayAndTime(ownership.end_time, zone)}`;
  };
  const isMine = ({ id }: Device) => {
    const ownership = ownerships.data?.get(id);
    return ownership === undefined ? !isAll : isCurrent(ownership);
  };

  return (
    <>
      <ListView
        title="Devices"
        what="devices"
        list={list}
        searched="name, serial number or model"
        controls={
          <>
            <label class="check">
              <input
                type="checkbox"
                checked={isAll}
                onChange={({ currentTarget }) => setAll(currentTarget.checked)}
              />
              Show released devices
            </label>
            <button type="button" class="primary" onClick={() => setTaking(true)}>
              Claim a device…
            </button>
          </>
        }
        empty={
          <Nothing title="You have no devices.">
            <p>
              Claim one. You need its serial number and its name, which are printed on it or come with it.
            </p>
            {isAll ? null : <p>Choose “Show released devices” to see devices that you had before.</p>}
          </Nothing>
        }
        columns={[
          {
            name: "Device",
            of: (device) =>
              isMine(device) ? (
                <a href={`#/devices/${device.id}`}>{deviceName(device)}</a>
              ) : (
                // recordings from the period of ownership remain visible
                <a href={`#/recordings/${device.id}`}>{deviceName(device)}</a>
              ),
          },
          { name: "Serial number", of: ({ serial_number }) => serial_number },
          { name: "Model", of: ({ device_type }) => device_type },
          {
            name: "Latest sample",
            of: (device) =>
              isMine(device) ? <LatestSample client={client} device={device} zone={zone} /> : NO_VALUE,
          },
          { name: "State", of: stateOf },
        ]}
      />
      {isTaking ? (
        <Dialog title="Claim a device" onClose={() => setTaking(false)}>
          <p class="note">
            From now on its recordings are yours. A device that has an owner must be released first.
          </p>
          <Form
            action="Claim the device"
            onCancel={() => setTaking(false)}
            onSubmit={async (values) => {
              const body = {
                serial_number: values("serial_number").trim(),
                device_name: values("device_name").trim(),
              };
              const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body })).catch(
                (error: unknown) => {
                  throw error instanceof ApiError && error.status === 404 ? new Error(NO_SUCH_DEVICE) : error;
                },
              );
              announce(`${deviceName(device)} is yours.`);
              go(`/devices/${device.id}`);
            }}
          >
            <Field
              name="serial_number"
              label="Serial number"
              required
              maxLength={150}
              initial={wanted}
              isFirst={wanted === null}
            />
            <Field
              name="device_name"
              isFirst={wanted !== null}
              label="Device name"
              required
              maxLength={150}
              hint="The name from the manufacturer, not a name that you have set."
            />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
