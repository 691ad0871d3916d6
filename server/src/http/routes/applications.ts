import type { FastifyInstance } from "fastify";
import {
  Application,
  ApplicationFilters,
  ApplicationInput,
  createOwnApplication,
  deleteOwnApplication,
  listOwnApplications,
  NewApplication,
  replaceOwnSecret,
  SecretInput,
} from "../../oauth/own-applications.js";
import { CursorPage } from "../../wire/cursor.js";
import { route } from "../route.js";

/** Common properties of the operations. */
const own = { tag: "Applications", version: 2 } as const;

const COLLECTION = "/api/v2/applications/";

/** Adds the operations on applications that act for a manager with client credentials and scopes. */
export function applicationRoutes(app: FastifyInstance): void {
  route(app, {
    ...own,
    id: "listApplications",
    summary: "List the applications that act for you",
    description:
      "Returns applications oldest first and without their secrets, including applications that the operator has created.",
    method: "GET",
    path: COLLECTION,
    query: ApplicationFilters,
    success: { status: 200, schema: CursorPage(Application) },
    failures: [400],
    handle: ({ ctx, query }) => listOwnApplications(ctx, query),
  });

  route(app, {
    ...own,
    id: "createApplication",
    summary: "Create an application that acts for you",
    description:
      "Only this response contains the secret. With it, the application requests tokens at `/oauth2/token/` (`grant_type=client_credentials`), which have the given scopes. It acts for you until it or your account is deleted.",
    method: "POST",
    path: COLLECTION,
    body: ApplicationInput,
    success: {
      status: 201,
      schema: NewApplication,
      headers: { Location: "The path of the application" },
      collection: COLLECTION,
    },
    failures: [400, 409],
    handle: ({ ctx, body }) => createOwnApplication(ctx, body),
  });

  route(app, {
    ...own,
    id: "replaceApplicationSecret",
    summary: "Replace the secret of an application that acts for you",
    description:
      "Only this response contains the new secret. The previous secret and its tokens are invalid immediately. For a change without a gap, create a second application, and delete the first one later.",
    method: "POST",
    path: `${COLLECTION}{application}/secret/`,
    body: SecretInput,
    success: { status: 200, schema: NewApplication },
    failures: [400],
    isRepeatable: true,
    handle: ({ ctx, ids, body }) => replaceOwnSecret(ctx, ids.application, body),
  });

  route(app, {
    ...own,
    id: "deleteApplication",
    summary: "Delete an application that acts for you",
    description: "Its secret and its tokens are invalid immediately.",
    method: "DELETE",
    path: `${COLLECTION}{application}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deleteOwnApplication(ctx, ids.application),
  });
}
