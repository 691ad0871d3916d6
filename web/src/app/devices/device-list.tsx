import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { List, SearchField, useList, useSettled } from "../parts/list.js";
import { Nothing } from "../parts/nothing.js";
import { useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { nameOfDevice } from "./device-name.js";
import { LatestSample } from "./latest-sample.js";
import { isCurrent, latestOwnerships } from "./ownerships.js";

const PER_PAGE = 25;

type Device = Resource["Device"];

/** All devices that the manager owns or has owned. */
export function DeviceList({ client, settings, go }: ViewProps) {
  const [search, setSearch] = useState("");
  const [isAll, setAll] = useState(false);
  const [isTaking, setTaking] = useState(false);
  const settled = useSettled(search.trim());
  const load = (page: number, signal?: AbortSignal) =>
    unwrap(
      client.GET("/api/v1/devices/", {
        params: {
          query: {
            page,
            limit: PER_PAGE,
            ordering: "device_name",
            current: !isAll,
            ...(settled === "" ? {} : { search: settled }),
          },
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const list = useList(`devices ${isAll} ${settled}`, load);
  const ownerships = useRequest("ownerships", (signal) => latestOwnerships(client, signal));

  const stateOf = ({ id }: Device) => {
    const ownership = ownerships.data?.get(id);
    if (ownership === undefined) return "";
    return isCurrent(ownership)
      ? `Yours since ${dayAndTime(Date.parse(ownership.start_time), settings)}`
      : `Released ${dayAndTime(Date.parse(ownership.end_time), settings)}`;
  };
  const isMine = ({ id }: Device) => {
    const ownership = ownerships.data?.get(id);
    return ownership === undefined ? !isAll : isCurrent(ownership);
  };

  return (
    <>
      <div class="view-head">
        <h1>Devices</h1>
        <SearchField label="Search devices" value={search} onInput={setSearch} />
        <label class="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ currentTarget }) => setAll(currentTarget.checked)}
          />
          Also released ones
        </label>
        <button type="button" class="primary" onClick={() => setTaking(true)}>
          Take a device…
        </button>
      </div>
      <List
        list={list}
        load={load}
        what="the devices"
        empty={
          settled === "" ? (
            <Nothing title="You have no devices.">
              <p>Take one: its serial number and its name are printed on the device, or come with it.</p>
            </Nothing>
          ) : (
            <Nothing title={`No device has “${settled}” in its name, serial number or model.`} />
          )
        }
      >
        {(devices) => (
          <div class="panel padded table-panel">
            <table class="records">
              <thead>
                <tr>
                  <th scope="col">Device</th>
                  <th scope="col">Serial number</th>
                  <th scope="col">Model</th>
                  <th scope="col">Latest sample</th>
                  <th scope="col">State</th>
                </tr>
              </thead>
              <tbody>
                {devices.map((device) => (
                  <tr key={device.id}>
                    <th scope="row">
                      {isMine(device) ? (
                        <a href={`#/devices/${device.id}`}>{nameOfDevice(device)}</a>
                      ) : (
                        nameOfDevice(device)
                      )}
                    </th>
                    <td data-label="Serial number">{device.serial_number}</td>
                    <td data-label="Model">{device.device_type}</td>
                    <td data-label="Latest sample">
                      {isMine(device) ? (
                        <LatestSample client={client} device={device.id} settings={settings} />
                      ) : (
                        "–"
                      )}
                    </td>
                    <td data-label="State">{stateOf(device)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </List>
      {isTaking ? (
        <Dialog title="Take a device" onClose={() => setTaking(false)}>
          <p class="note">
            From now on its recordings are yours. A device that has an owner must be released first.
          </p>
          <Form
            action="Take the device"
            onCancel={() => setTaking(false)}
            onSubmit={async (values) => {
              const body = {
                serial_number: values("serial_number").trim(),
                device_name: values("device_name").trim(),
              };
              const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body }));
              announce(`${nameOfDevice(device)} is yours.`);
              go(`/devices/${device.id}`);
            }}
          >
            <Field name="serial_number" label="Serial number" required maxLength={150} isFirst />
            <Field
              name="device_name"
              label="Device name"
              required
              maxLength={150}
              hint="The name that the maker has given, not one of yours."
            />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
