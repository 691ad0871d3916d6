import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { changePassword } from "../../domain/accounts/own-account.js";
import { PICTURE_BODY_BYTES } from "../../domain/accounts/picture.js";
import {
  AuthenticatedAccount,
  Manager,
  NEEDS_CURRENT_PASSWORD,
  NewPassword,
} from "../../domain/accounts/resource.js";
import { ManagerReplacement, ManagerUpdate, NewManager } from "../../domain/managers/bodies.js";
import { createManager } from "../../domain/managers/create.js";
import { managerItem, retrieveAccount, retrieveManagerByExternalId } from "../../domain/managers/retrieve.js";
import { updateManager } from "../../domain/managers/update.js";
import { Query, Text } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Managers";

export function managerRoutes(app: FastifyInstance): void {
  route(app, {
    id: "retrieveAccount",
    hasLargeResponse: true,
    tag: "Account",
    summary: "Get the authenticated user's account and profile",
    method: "GET",
    path: "/api/v1/account/",
    success: { status: 200, schema: AuthenticatedAccount },
    handle: ({ ctx }) => retrieveAccount(ctx),
  });

  route(app, {
    id: "createManager",
    tag,
    summary: "Register as a manager",
    description:
      "The credentials are sent to the given email address. With create_default_athlete, a managed athlete is created from athlete_profile.",
    method: "POST",
    path: "/api/v1/managers/",
    query: Type.Object({
      create_default_athlete: Query.boolean("Also create the manager's default athlete"),
    }),
    body: NewManager,
    bodyLimitBytes: PICTURE_BODY_BYTES,
    success: { status: 201, schema: Manager },
    failures: [400, 410],
    throttle: ["registration"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    async handle({ ctx, request, query, body }) {
      await app.throttle.registrationBytes(request, body.athlete_profile?.profile_picture?.length ?? 0);
      return createManager(ctx, body, query.create_default_athlete ?? false);
    },
  });

  route(app, {
    id: "retrieveManagerByExternalId",
    tag,
    summary: "Retrieve a manager by external id",
    deprecated: true,
    method: "GET",
    path: "/api/v1/managers/by-external-id/",
    query: Type.Object({ "external-id": Text({ minLength: 1, maxLength: 255, examples: ["club-0042"] }) }),
    success: { status: 200, schema: Manager },
    failures: [400, 404],
    handle: ({ ctx, query }) => retrieveManagerByExternalId(ctx, query["external-id"]),
  });

  route(app, {
    id: "retrieveManager",
    tag,
    summary: "Retrieve a manager",
    method: "GET",
    path: "/api/v1/managers/{manager}/",
    success: { status: 200, schema: Manager },
    handle: async ({ target }) => managerItem(target),
  });

  route(app, {
    id: "updateManager",
    tag,
    summary: "Update a manager",
    description: `Fields that are not sent are not changed; PUT requires username and email. A password other than the current one ends every session. ${NEEDS_CURRENT_PASSWORD}`,
    method: "PUT",
    path: "/api/v1/managers/{manager}/",
    body: ManagerReplacement,
    success: { status: 201, schema: Manager },
    failures: [400],
    handle: ({ ctx, target, body }) => updateManager(ctx, target, body),
    patch: { body: ManagerUpdate, handle: ({ ctx, target, body }) => updateManager(ctx, target, body) },
  });

  route(app, {
    id: "changeManagerPassword",
    tag,
    summary: "Change the manager's password",
    description: `Every token of the manager is revoked, and an email reports the change. ${NEEDS_CURRENT_PASSWORD}`,
    method: "PUT",
    otherMethods: ["POST", "PATCH"],
    path: "/api/v1/managers/{manager}/change-password/",
    body: NewPassword,
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, ids, target, body }) => changePassword(ctx, "changeManagerPassword", ids, target, body),
  });
}
