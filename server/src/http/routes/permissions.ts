import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { createPermission, createPermissions } from "../../domain/permissions/grant.js";
import {
  findManager,
  KnownManager,
  listKnownManagers,
  WantedManager,
} from "../../domain/permissions/known-managers.js";
import { listPermissions } from "../../domain/permissions/list.js";
import { NewPermission, NewPermissions, Permission } from "../../domain/permissions/resource.js";
import { revokePermission, revokePermissions } from "../../domain/permissions/revoke.js";
import { Page, PageQuery } from "../../wire/types.js";
import { route } from "../route.js";
import { decoder } from "../validation.js";

const tag = "Permissions";
const deprecated = true;
const knownPath = "/api/v1/athletes/{athlete}/managers/";
const managerPath = "/api/v1/athletes/{athlete}/managers/{manager}/permissions/";

export function permissionRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listPermissions",
    tag,
    summary: "List all permissions on an athlete",
    deprecated,
    method: "GET",
    path: "/api/v1/athletes/{athlete}/permissions/",
    query: Type.Object(PageQuery),
    success: { status: 200, schema: Page(Permission) },
    handle: ({ ctx, ids, query }) => listPermissions(ctx, ids.athlete, null, query),
  });

  route(app, {
    id: "listManagerPermissions",
    tag,
    summary: "List a manager's permissions on an athlete",
    deprecated,
    method: "GET",
    path: managerPath,
    query: Type.Object(PageQuery),
    success: { status: 200, schema: Page(Permission) },
    handle: ({ ctx, ids, query }) => listPermissions(ctx, ids.athlete, ids.manager, query),
  });

  const readOne = decoder(NewPermission);
  const readMany = decoder(NewPermissions);
  route(app, {
    id: "createPermissions",
    tag,
    summary: "Grant permissions to a manager",
    description:
      "The body is one permission or an array of permissions. Either all or none of them are created.",
    deprecated,
    method: "POST",
    path: managerPath,
    describedBody: Type.Union([NewPermission, NewPermissions]),
    success: { status: 200, schema: Type.Union([Permission, Type.Array(Permission)]) },
    failures: [400],
    handle: ({ ctx, ids: { athlete, manager }, request: { body } }) =>
      Array.isArray(body)
        ? createPermissions(ctx, athlete, manager, readMany(body))
        : createPermission(ctx, athlete, manager, readOne(body)),
  });

  route(app, {
    id: "revokePermissions",
    tag,
    summary: "Revoke all permissions of a manager",
    deprecated,
    method: "DELETE",
    path: managerPath,
    success: { status: 204 },
    handle: ({ ctx, ids }) => revokePermissions(ctx, ids.athlete, ids.manager),
  });

  route(app, {
    id: "revokePermission",
    tag,
    summary: "Revoke one permission of a manager",
    deprecated,
    method: "DELETE",
    path: "/api/v1/athletes/{athlete}/managers/{manager}/permissions/{permission}/",
    success: { status: 204 },
    handle: ({ ctx, ids }) => revokePermission(ctx, ids),
  });

  route(app, {
    id: "findManager",
    tag,
    summary: "Find a manager by number and username",
    description:
      "Shows a manager to an athlete before a permission is granted. Number and username must both be correct; otherwise the response is 400 with `X-Error-Code: manager_not_found`. At most 20 searches are possible in 15 minutes.",
    deprecated,
    method: "POST",
    path: knownPath,
    body: WantedManager,
    success: { status: 200, schema: KnownManager },
    failures: [400],
    throttle: ["managerSearch"],
    handle: ({ ctx, ids, body }) => findManager(ctx, ids.athlete, body),
  });

  route(app, {
    id: "listKnownManagers",
    tag,
    summary: "List the managers that an athlete has found",
    deprecated,
    method: "GET",
    path: knownPath,
    query: Type.Object(PageQuery),
    success: { status: 200, schema: Page(KnownManager) },
    handle: ({ ctx, ids, query }) => listKnownManagers(ctx, ids.athlete, query),
  });
}
