import { type Resource, unwrap } from "asi-client";
import { NO_VALUE } from "../../view/values.js";
import { deviceName } from "../names.js";
import { Action, ProblemOf, useProblem } from "../parts/action.js";
import { announce } from "../parts/announcements.js";
import { Facts } from "../parts/facts.js";
import { Field, Form } from "../parts/form.js";
import { Requested, useRequest } from "../parts/request.js";
import { dayAndTime } from "../parts/when.js";
import type { ViewProps } from "../view.js";
import { LatestTime, useLatest } from "./latest-sample.js";
import { isCurrent } from "./ownerships.js";
import { Sensors } from "./sensors.js";

type Device = Resource["Device"];

/** One device, with its details, its name and its sensors. */
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
  const problem = useProblem();
  const zone = settings.zone.value;
  const { data: ownerships } = useRequest(`ownerships ${id}`, async (signal) => {
    const query = { device: String(id), limit: 3000 };
    return (await unwrap(client.GET("/api/v1/device-ownerships/", { params: { query }, signal }))).results;
  });
  const current = ownerships?.find(isCurrent);
  const latest = useLatest(client, id);
  const isEmpty = latest.data?.ms === null && ownerships?.length === 1;

  return (
    <>
      <div class="view-head">
        <h1>{deviceName(device)}</h1>
        <a class={isEmpty ? "button primary" : "button"} href={`#/recordings/${id}`}>
          {isEmpty ? "Upload recordings" : "Recordings"}
        </a>
      </div>
      <div class="columns">
        <section class="panel padded">
          <h2>Device</h2>
          <Facts
            of={[
              ["Serial number", device.serial_number],
              ["Device name", device.device_name],
              ["Model", device.device_type],
              ["Firmware", device.firmware_version ?? "not known yet"],
              ["Yours since", current === undefined ? NO_VALUE : dayAndTime(current.start_time, zone)],
              ["Latest sample", <LatestTime key={id} latest={latest} zone={zone} />],
            ]}
          />
        </section>
        <section class="panel padded">
          <h2>Name</h2>
          <Form
            key={device.custom_name}
            action="Save the name"
            isEditor
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
              hint="Only you see it. Leave it empty to use the name from the manufacturer."
            />
          </Form>
        </section>
        <Sensors client={client} device={id} />
        <section class="panel padded">
          <h2>Release</h2>
          <p class="note">
            Release the device when you give it away. You keep the recordings from your time with it.
          </p>
          <ProblemOf problem={problem} />
          <Action
            problem={problem}
            failed="The device was not released."
            busy="Releasing the device…"
            question={{
              title: `Release ${deviceName(device)}?`,
              text: "Anyone who knows its serial number and name can then claim it. You keep the recordings from your time with it, but you can no longer upload.",
              action: "Release the device",
            }}
            work={async () => {
              await unwrap(client.POST("/api/v1/devices/{device}/release-ownership/", { params }));
              go("/devices");
              return `${deviceName(device)} is released.`;
            }}
          >
            Release the device…
          </Action>
        </section>
      </div>
    </>
  );
}
