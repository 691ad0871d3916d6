import type { FastifyInstance } from "fastify";
import { Device } from "../../domain/devices/resource.js";
import { listOwnerships, OwnershipFilters, retrieveOwnership } from "../../domain/ownerships/list.js";
import { releaseOwnership } from "../../domain/ownerships/release.js";
import { Ownership } from "../../domain/ownerships/resource.js";
import { TakenDevice, takeOwnership } from "../../domain/ownerships/take.js";
import { Page } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Device ownerships";

export function ownershipRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listOwnerships",
    tag,
    summary: "List your ownerships",
    method: "GET",
    path: "/api/v1/device-ownerships/",
    query: OwnershipFilters,
    success: { status: 200, schema: Page(Ownership) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listOwnerships(ctx, query),
  });

  route(app, {
    id: "retrieveOwnership",
    tag,
    summary: "Retrieve an ownership",
    method: "GET",
    path: "/api/v1/device-ownerships/{device_ownership}/",
    query: OwnershipFilters,
    success: { status: 200, schema: Ownership },
    failures: [400],
    handle: ({ ctx, target, query }) => retrieveOwnership(ctx, target, query),
  });

  route(app, {
    id: "takeOwnership",
    tag,
    summary: "Take ownership of a device",
    description:
      "The device must have no owner or already be owned by you. The first owner activates the device.",
    method: "POST",
    path: "/api/v1/devices/take-ownership/",
    body: TakenDevice,
    throttle: ["ownership"],
    success: { status: 201, schema: Device },
    failures: [400, 404],
    handle: ({ ctx, body }) => takeOwnership(ctx, body),
  });

  route(app, {
    id: "releaseOwnership",
    tag,
    summary: "Release ownership of a device",
    description:
      "Your samples with times at or after the release, from a device with a fast clock, are removed.",
    method: "POST",
    otherMethods: ["DELETE", "PUT", "PATCH"],
    path: "/api/v1/devices/{device}/release-ownership/",
    throttle: ["ownership"],
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, ids }) => releaseOwnership(ctx, ids.device),
  });
}
