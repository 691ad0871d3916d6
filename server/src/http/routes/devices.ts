import type { FastifyInstance } from "fastify";
import { DeviceFilters, listDevices, retrieveDevice } from "../../domain/devices/list.js";
import { setCustomName } from "../../domain/devices/rename.js";
import { CustomName, Device } from "../../domain/devices/resource.js";
import { Page } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Devices";

export function deviceRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listDevices",
    tag,
    summary: "List the devices that you own or have owned",
    method: "GET",
    path: "/api/v1/devices/",
    query: DeviceFilters,
    success: { status: 200, schema: Page(Device) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listDevices(ctx, query),
  });

  route(app, {
    id: "retrieveDevice",
    tag,
    summary: "Retrieve a device",
    method: "GET",
    path: "/api/v1/devices/{device}/",
    query: DeviceFilters,
    success: { status: 200, schema: Device },
    failures: [400],
    handle: ({ ctx, target, query }) => retrieveDevice(ctx, target, query),
  });

  route(app, {
    id: "setCustomName",
    tag,
    summary: "Set the device's custom name",
    deprecated: true,
    method: "PUT",
    otherMethods: ["POST", "PATCH"],
    path: "/api/v1/devices/{device}/set-custom-name/",
    body: CustomName,
    success: { status: 200, schema: Device },
    failures: [400],
    handle: ({ ctx, ids, body }) => setCustomName(ctx, ids.device, body.custom_name),
  });
}
