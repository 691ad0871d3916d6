import { type Resource, unwrap } from "asi-client";
import { useState } from "preact/hooks";
import { announce } from "../parts/announcements.js";
import { ask } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { ProblemCard } from "../parts/problem.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { nameOfDevice } from "./device-name.js";
import { LatestSample } from "./latest-sample.js";
import { isCurrent } from "./ownerships.js";
import { Sensors } from "./sensors.js";

type Device = Resource["Device"];

/** One device: what it is, its name, its sensors. */
export function DevicePage({ id, ...props }: ViewProps & { id: number }) {
  const { client } = props;
  const path = { device: id };
  const request = useRequest(`device ${id}`, (signal) =>
    unwrap(client.GET("/api/v1/devices/{device}/", { params: { path }, signal })),
  );
  return (
    <>
      <p class="back">
        <a href="#/devices">All devices</a>
      </p>
      <Requested request={request} what="the device">
        {(device) => <Content device={device} onChange={request.replace} {...props} />}
      </Requested>
    </>
  );
}

interface ContentProps extends ViewProps {
  device: Device;
  onChange: (device: Device) => void;
}

function Content({ device, onChange, client, settings, go }: ContentProps) {
  const { id } = device;
  const params = { path: { device: id } };
  const [failed, setFailed] = useState<unknown>(null);
  const ownership = useRequest(`ownership ${id}`, async (signal) => {
    const query = { device: String(id), limit: 3000 };
    const { results } = await unwrap(client.GET("/api/v1/device-ownerships/", { params: { query }, signal }));
    return results.find(isCurrent) ?? null;
  });

  const release = async () => {
    const isWanted = await ask({
      title: `Release ${nameOfDevice(device)}?`,
      text: "It can then be taken by anyone who knows its serial number and name. You keep the recordings of your time with it, but you cannot upload any more.",
      action: "Release the device",
    });
    if (!isWanted) return;
    setFailed(null);
    try {
      await unwrap(client.POST("/api/v1/devices/{device}/release-ownership/", { params }));
      announce(`${nameOfDevice(device)} is released.`);
      go("/devices");
    } catch (error) {
      setFailed(error);
    }
  };

  return (
    <>
      <div class="view-head">
        <h1>{nameOfDevice(device)}</h1>
        <a class="button" href={`#/recordings/${id}`}>
          Recordings
        </a>
      </div>
      <div class="columns">
        <section class="panel padded">
          <h2>Device</h2>
          <dl class="facts">
            <Fact name="Serial number">{device.serial_number}</Fact>
            <Fact name="Device name">{device.device_name}</Fact>
            <Fact name="Model">{device.device_type}</Fact>
            <Fact name="Firmware">{device.firmware_version ?? "not known yet"}</Fact>
            <Fact name="Yours since">
              {ownership.data == null ? "–" : dayAndTime(Date.parse(ownership.data.start_time), settings)}
            </Fact>
            <Fact name="Latest sample">
              <LatestSample client={client} device={id} settings={settings} />
            </Fact>
          </dl>
        </section>
        <section class="panel padded">
          <h2>Name</h2>
          <Form
            key={device.custom_name}
            action="Save the name"
            onSubmit={async (values) => {
              const body = { custom_name: values("custom_name").trim() || null };
              onChange(
                await unwrap(client.PUT("/api/v1/devices/{device}/set-custom-name/", { params, body })),
              );
              announce("The name is saved.");
            }}
          >
            <Field
              name="custom_name"
              label="Your name for it"
              initial={device.custom_name}
              maxLength={60}
              hint="Only you see it. Leave it empty for the name of the maker."
            />
          </Form>
        </section>
        <Sensors client={client} device={id} />
        <section class="panel padded">
          <h2>Release</h2>
          <p class="note">When you give the device away. Its recordings from your time stay yours.</p>
          {failed === null ? null : <ProblemCard title="The device was not released." error={failed} />}
          <button type="button" onClick={release}>
            Release the device…
          </button>
        </section>
      </div>
    </>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
