import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { changePassword } from "../../domain/accounts/own-account.js";
import { PICTURE_BODY_BYTES } from "../../domain/accounts/picture.js";
import { Athlete, NEEDS_CURRENT_PASSWORD, NewPassword } from "../../domain/accounts/resource.js";
import {
  AthleteReplacement,
  AthleteUpdate,
  ManagedAthleteReplacement,
  ManagedAthleteUpdate,
  NewAthlete,
  NewManagedAthlete,
} from "../../domain/athletes/bodies.js";
import { createAthlete, createManagedAthlete } from "../../domain/athletes/create.js";
import {
  AthleteFilters,
  AthleteQuery,
  listAthletes,
  retrieveAthlete,
  retrieveAthleteByExternalId,
} from "../../domain/athletes/list.js";
import { updateAthlete, updateManagedAthlete } from "../../domain/athletes/update.js";
import { deleteAthlete, deleteManagedAthlete } from "../../domain/deletion/athlete.js";
import { Page, Text } from "../../wire/types.js";
import { route } from "../route.js";
import { decoder } from "../validation.js";

const tag = "Athletes";
const deprecated = true;
const path = "/api/v1/athletes/{athlete}/";
const bodyLimitBytes = PICTURE_BODY_BYTES;
const KEEPS = "Fields that are not sent are not changed; PUT requires the required fields.";

export function athleteRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listAthletes",
    tag,
    summary: "List the athletes for whom you currently have READ permission",
    deprecated,
    method: "GET",
    path: "/api/v1/athletes/",
    query: AthleteQuery,
    success: { status: 200, schema: Page(Athlete) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listAthletes(ctx, query),
  });

  route(app, {
    id: "createAthlete",
    hasLargeResponse: true,
    tag,
    summary: "Register as an athlete",
    description: "The credentials are sent to the given email address.",
    deprecated,
    method: "POST",
    path: "/api/v1/athletes/",
    body: NewAthlete,
    bodyLimitBytes,
    success: { status: 201, schema: Athlete },
    failures: [400, 410],
    throttle: ["registration"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    async handle({ ctx, request, body }) {
      await app.throttle.registrationBytes(request, body.athlete_profile?.profile_picture?.length ?? 0);
      return createAthlete(ctx, body);
    },
  });

  route(app, {
    id: "createManagedAthlete",
    hasLargeResponse: true,
    tag,
    summary: "Create an athlete whom you manage",
    description: "You get READ, WRITE and SHARE on the athlete from 1970-01-01 to 2199-12-31.",
    deprecated,
    method: "POST",
    path: "/api/v1/athletes/create-managed/",
    body: NewManagedAthlete,
    bodyLimitBytes,
    success: { status: 201, schema: Athlete },
    failures: [400],
    handle: ({ ctx, body }) => createManagedAthlete(ctx, body),
  });

  route(app, {
    id: "retrieveAthleteByExternalId",
    hasLargeResponse: true,
    tag,
    summary: "Retrieve an athlete by external id",
    description: "Available to managers who currently have READ permission, and to the athlete.",
    deprecated,
    method: "GET",
    path: "/api/v1/athletes/by-external-id/",
    query: Type.Object({ "external-id": Text({ minLength: 1, maxLength: 255, examples: ["club-0042"] }) }),
    success: { status: 200, schema: Athlete },
    failures: [400, 404],
    handle: ({ ctx, query }) => retrieveAthleteByExternalId(ctx, query["external-id"]),
  });

  route(app, {
    id: "retrieveAthlete",
    hasLargeResponse: true,
    tag,
    summary: "Retrieve an athlete",
    deprecated,
    method: "GET",
    path,
    query: AthleteFilters,
    success: { status: 200, schema: Athlete },
    failures: [400],
    handle: ({ ctx, target, query }) => retrieveAthlete(ctx, target, query),
  });

  const readReplacement = decoder(ManagedAthleteReplacement);
  const readUpdate = decoder(ManagedAthleteUpdate);
  route(app, {
    id: "updateAthlete",
    hasLargeResponse: true,
    tag,
    summary: "Update an athlete",
    description: `${KEEPS} ${NEEDS_CURRENT_PASSWORD} For the manager of a managed athlete, this operation is the same as updateManagedAthlete.`,
    deprecated,
    method: "PUT",
    path,
    query: AthleteFilters,
    body: AthleteReplacement,
    bodyLimitBytes,
    success: { status: 201, schema: Athlete },
    failures: [400],
    handle: ({ ctx, target, query, body }) => updateAthlete(ctx, target.athlete, body, query),
    patch: {
      body: AthleteUpdate,
      handle: ({ ctx, target, query, body }) => updateAthlete(ctx, target.athlete, body, query),
    },
    instead: {
      when: ({ byManager }) => byManager,
      handle: ({ ctx, target: { athlete }, query, request: { method, body } }) =>
        updateManagedAthlete(ctx, athlete, (method === "PATCH" ? readUpdate : readReplacement)(body), query),
    },
  });

  route(app, {
    id: "deleteAthlete",
    tag,
    summary: "Delete an athlete",
    description:
      "Permissions, time frames and computed data of the athlete are also deleted. For the manager of a managed athlete, this operation is the same as deleteManagedAthlete.",
    deprecated,
    method: "DELETE",
    path,
    query: AthleteFilters,
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, target: { athlete, byManager }, query }) =>
      (byManager ? deleteManagedAthlete : deleteAthlete)(ctx, athlete, query),
  });

  route(app, {
    id: "updateManagedAthlete",
    hasLargeResponse: true,
    tag,
    summary: "Update an athlete whom you manage",
    description: KEEPS,
    deprecated,
    method: "PUT",
    path: "/api/v1/athletes/{athlete}/update-managed/",
    query: AthleteFilters,
    body: ManagedAthleteReplacement,
    bodyLimitBytes,
    success: { status: 201, schema: Athlete },
    failures: [400],
    handle: ({ ctx, target, query, body }) => updateManagedAthlete(ctx, target, body, query),
    patch: {
      body: ManagedAthleteUpdate,
      handle: ({ ctx, target, query, body }) => updateManagedAthlete(ctx, target, body, query),
    },
  });

  route(app, {
    id: "deleteManagedAthlete",
    tag,
    summary: "Delete an athlete whom you manage",
    description: "Permissions, time frames and computed data of the athlete are also deleted.",
    deprecated,
    method: "DELETE",
    path: "/api/v1/athletes/{athlete}/delete-managed/",
    query: AthleteFilters,
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, target, query }) => deleteManagedAthlete(ctx, target, query),
  });

  route(app, {
    id: "changeAthletePassword",
    tag,
    summary: "Change the athlete's password",
    description: `Every token of the athlete is revoked, and an email reports the change. ${NEEDS_CURRENT_PASSWORD}`,
    deprecated,
    method: "PUT",
    otherMethods: ["POST", "PATCH"],
    path: "/api/v1/athletes/{athlete}/change-password/",
    body: NewPassword,
    success: { status: 204 },
    failures: [400],
    handle: ({ ctx, ids, target, body }) => changePassword(ctx, "changeAthletePassword", ids, target, body),
  });
}
