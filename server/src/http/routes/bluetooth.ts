import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { configureBluetooth, retrieveBluetooth } from "../../domain/bluetooth/configure.js";
import { BluetoothConfiguration, PairingsInput } from "../../domain/bluetooth/resource.js";
import { Query } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Bluetooth";

export function bluetoothRoutes(app: FastifyInstance): void {
  route(app, {
    id: "retrieveBluetoothConfiguration",
    tag,
    summary: "Get the Bluetooth configuration of a device",
    method: "GET",
    path: "/api/v1/devices/{device}/bluetooth-config/",
    success: { status: 200, schema: BluetoothConfiguration },
    handle: ({ ctx, ids }) => retrieveBluetooth(ctx, ids.device),
  });

  route(app, {
    id: "configureBluetooth",
    tag,
    summary: "Configure the device's Bluetooth pairings",
    description:
      "Changes the target. The current configuration changes when the device has started with the target.",
    method: "PATCH",
    path: "/api/v1/devices/{device}/bluetooth-config/",
    query: Type.Object({ immediate_sending: Query.boolean("Send to the device immediately") }),
    body: PairingsInput,
    success: { status: 200, schema: BluetoothConfiguration },
    failures: [400],
    handle: ({ ctx, ids, query, body }) =>
      configureBluetooth(ctx, ids.device, body, query.immediate_sending ?? false),
  });
}
