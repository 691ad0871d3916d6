import { FormatRegistry, Type } from "@sinclair/typebox";
import type { bluetoothConfigurations } from "../../store/schema.js";
import { Nullable, Text } from "../../wire/types.js";
import { item } from "../change/entity-tags.js";

const MAC_ADDRESS = /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/;
FormatRegistry.Set("mac-address", (value) => MAC_ADDRESS.test(value));

const PairingInput = Nullable(
  Type.Object(
    {
      mac_address: Type.String({
        format: "mac-address",
        problem: "Expected six hexadecimal bytes with colons, such as A0:9E:1A:00:00:01.",
      }),
      name: Type.Optional(Nullable(Text({ maxLength: 60 }))),
    },
    { additionalProperties: false },
  ),
);

/** Reject unknown keys, because a mistyped key would otherwise be ignored silently. */
export const PairingsInput = Type.Object(
  {
    pairing_1: Type.Optional(PairingInput),
    pairing_2: Type.Optional(PairingInput),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    examples: [{ pairing_1: { mac_address: "A0:9E:1A:00:00:01", name: "Chest strap" }, pairing_2: null }],
    description:
      "pairing_1 is the heart-rate sensor, pairing_2 the power meter; null clears a pairing, and an absent pairing is not changed",
  },
);

const Pairing = Type.Object({ mac_address: Type.String(), name: Nullable(Type.String()) });
const Pairings = Type.Object({ pairing_1: Type.Optional(Pairing), pairing_2: Type.Optional(Pairing) });

export const BluetoothConfiguration = Type.Object(
  {
    status: Type.Literal("success"),
    data: Type.Object({ current: Pairings, target: Pairings }),
  },
  {
    $id: "BluetoothConfiguration",
    examples: [
      {
        status: "success",
        data: {
          current: {},
          target: { pairing_1: { mac_address: "A0:9E:1A:00:00:01", name: "Chest strap" } },
        },
      },
    ],
  },
);

type Row = typeof bluetoothConfigurations.$inferSelect;

/** @param row undefined when the device was never configured */
export const bluetoothItem = (row: Row | undefined) =>
  item(
    {
      status: "success" as const,
      // Hide pairings that the device reported to a former owner, because they contain the sensor of that owner.
      data: { current: row?.reportedIn == null ? {} : row.current, target: row?.target ?? {} },
    },
    row?.version ?? 0,
  );
