import { type Client, type Resource, unwrap } from "asi-client";
import { announce } from "../parts/announcements.js";
import { Facts } from "../parts/facts.js";
import { Field, Form } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { Requested, useRequest } from "../parts/request.js";

type Pairings = Resource["BluetoothConfiguration"]["data"]["target"];
type Pairing = Pairings["pairing_1"];

const SENSORS = [
  ["pairing_1", "Heart rate"],
  ["pairing_2", "Power"],
] as const;

const NEEDS_ADDRESS =
  "Enter the address of this sensor, or clear its name. The device finds a sensor by its address.";

/** The Bluetooth sensors that a device uses, and those that it uses after its next start. */
export function Sensors({ client, device }: { client: Client; device: number }) {
  const path = "/api/v1/devices/{device}/bluetooth-config/";
  const request = useRequest(`sensors ${device}`, (signal) =>
    unwrap(client.GET(path, { params: { path: { device } }, signal })),
  );
  return (
    <section class="panel padded">
      <h2>Bluetooth sensors</h2>
      <Requested request={request} what="the sensors">
        {({ data: { current, target } }) => (
          <>
            <Facts of={SENSORS.map(([key, name]) => [name, stateOf(current[key], target[key])])} />
            <Form
              key={JSON.stringify(target)}
              action="Save the sensors"
              isEditor
              onSubmit={async (values, form, changed) => {
                const nameless = SENSORS.filter(
                  ([key]) =>
                    values(`${key}.mac_address`).trim() === "" && values(`${key}.name`).trim() !== "",
                );
                if (nameless.length > 0) {
                  throw new FormProblem(
                    Object.fromEntries(nameless.map(([key]) => [`${key}.mac_address`, NEEDS_ADDRESS])),
                  );
                }
                const isNow = (form.elements.namedItem("now") as HTMLInputElement).checked;
                const paired = (key: string) => {
                  const mac_address = values(`${key}.mac_address`).trim();
                  return mac_address === ""
                    ? null
                    : { mac_address, name: values(`${key}.name`).trim() || null };
                };
                const result = await unwrap(
                  client.PATCH(path, {
                    params: { path: { device }, query: { immediate_sending: isNow } },
                    body: Object.fromEntries(
                      SENSORS.filter(([key]) =>
                        ["mac_address", "name"].some((one) => changed.has(`${key}.${one}`)),
                      ).map(([key]) => [key, paired(key)]),
                    ),
                  }),
                );
                request.replace(result);
                announce("The sensors are saved.");
              }}
            >
              {SENSORS.map(([key, name]) => (
                <fieldset key={key} class="pairing">
                  <legend>{name}</legend>
                  <div class="form-row">
                    <Field
                      name={`${key}.mac_address`}
                      label="Address"
                      initial={target[key]?.mac_address}
                      placeholder="A0:9E:1A:00:00:01"
                    />
                    <Field name={`${key}.name`} label="Name" initial={target[key]?.name} maxLength={60} />
                  </div>
                </fieldset>
              ))}
              <p class="note">Leave address and name empty to pair with no sensor.</p>
              <label class="check">
                <input type="checkbox" name="now" />
                Send to the device immediately, not at its next start
              </label>
            </Form>
          </>
        )}
      </Requested>
    </section>
  );
}

const textOf = (pairing: Pairing) => (pairing === undefined ? "none" : (pairing.name ?? pairing.mac_address));

function stateOf(current: Pairing, target: Pairing): string {
  if (current?.mac_address === target?.mac_address && current?.name === target?.name) return textOf(target);
  return `${textOf(current)} now, ${textOf(target)} once the device has started`;
}
