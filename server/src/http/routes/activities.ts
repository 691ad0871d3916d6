import type { FastifyInstance } from "fastify";
import { createActivity } from "../../domain/activities/create.js";
import { ActivityFilters, listActivities, retrieveActivity } from "../../domain/activities/list.js";
import { Activity, ActivityInput, ActivityPatch } from "../../domain/activities/resource.js";
import { updateActivity } from "../../domain/activities/update.js";
import { deleteActivity } from "../../domain/deletion/activity.js";
import { GPX_MAX_BYTES } from "../../store/json-schema-definitions.js";
import { Page } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Activities";

/** Maximum size of an activity without its GPX document, with every second character of `json` escaped. */
const MAX_BYTES_AROUND_GPX = 3 * 64 * 1024;
/** Maximum size of an activity with a GPX document in which every second character is escaped. */
const BODY_LIMIT_BYTES = 2 * GPX_MAX_BYTES + MAX_BYTES_AROUND_GPX;

export function activityRoutes(app: FastifyInstance): void {
  route(app, {
    id: "listActivities",
    tag,
    summary: "List your activities",
    deprecated: true,
    method: "GET",
    path: "/api/v1/activities/",
    query: ActivityFilters,
    success: { status: 200, schema: Page(Activity) },
    failures: [400, 404],
    handle: ({ ctx, query }) => listActivities(ctx, query),
  });

  route(app, {
    id: "createActivity",
    hasLargeResponse: true,
    tag,
    summary: "Create an activity",
    deprecated: true,
    method: "POST",
    path: "/api/v1/activities/",
    body: ActivityInput,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    maxBytesAroundText: MAX_BYTES_AROUND_GPX,
    success: { status: 201, schema: Activity },
    failures: [400],
    handle: ({ ctx, body }) => createActivity(ctx, body),
  });

  route(app, {
    id: "retrieveActivity",
    hasLargeResponse: true,
    tag,
    summary: "Retrieve an activity",
    deprecated: true,
    method: "GET",
    path: "/api/v1/activities/{activity}/",
    success: { status: 200, schema: Activity },
    handle: ({ ctx, target }) => retrieveActivity(ctx, target),
  });

  route(app, {
    id: "updateActivity",
    hasLargeResponse: true,
    tag,
    summary: "Update an activity",
    description:
      "PUT requires all fields; PATCH changes the fields in the body. The data of all time frames of the activity are recomputed " +
      "after the response.",
    deprecated: true,
    method: "PUT",
    path: "/api/v1/activities/{activity}/",
    body: ActivityInput,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    maxBytesAroundText: MAX_BYTES_AROUND_GPX,
    success: { status: 200, schema: Activity },
    failures: [400],
    handle: ({ ctx, target, body }) => updateActivity(ctx, target, body),
    patch: { body: ActivityPatch, handle: ({ ctx, target, body }) => updateActivity(ctx, target, body) },
  });

  route(app, {
    id: "deleteActivity",
    tag,
    summary: "Delete an activity",
    description:
      "The time frames of the activity, their computed data and the webhooks of the activity are also deleted.",
    deprecated: true,
    method: "DELETE",
    path: "/api/v1/activities/{activity}/",
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteActivity(ctx, ids.activity),
  });
}
