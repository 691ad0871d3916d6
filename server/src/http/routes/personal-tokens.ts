import type { FastifyInstance } from "fastify";
import {
  createPersonalToken,
  deletePersonalToken,
  listPersonalTokens,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenFilters,
  PersonalTokenInput,
} from "../../oauth/personal-tokens.js";
import { CursorPage } from "../../wire/cursor.js";
import { route } from "../route.js";

/** Common properties of the operations. */
const tokens = { tag: "Personal tokens", version: 2 } as const;

const COLLECTION = "/api/v2/tokens/";

/** Adds the operations on tokens for programs, which have some of the rights of their user and an expiry. */
export function personalTokenRoutes(app: FastifyInstance): void {
  route(app, {
    ...tokens,
    id: "listPersonalTokens",
    summary: "List your tokens",
    description: "Returns tokens that have not expired, oldest first, without their secrets.",
    method: "GET",
    path: COLLECTION,
    query: PersonalTokenFilters,
    success: { status: 200, schema: CursorPage(PersonalToken) },
    failures: [400],
    handle: ({ ctx, query }) => listPersonalTokens(ctx, query),
  });

  route(app, {
    ...tokens,
    id: "createPersonalToken",
    summary: "Create a token for a program",
    description:
      "Only this response contains the access token. It has the given scopes; other operations refuse it with 403 and the code `insufficient_scope`. It expires at its end time, when it is deleted, or when the password changes.",
    method: "POST",
    path: COLLECTION,
    body: PersonalTokenInput,
    success: {
      status: 201,
      schema: NewPersonalToken,
      headers: { Location: "The path of the token" },
      collection: COLLECTION,
    },
    failures: [400, 409, 410],
    handle: ({ ctx, body }) => createPersonalToken(ctx, body),
  });

  route(app, {
    ...tokens,
    id: "deletePersonalToken",
    summary: "Delete a token",
    description: "The token is invalid immediately.",
    method: "DELETE",
    path: `${COLLECTION}{token}/`,
    success: { status: 204 },
    handle: ({ ctx, ids }) => deletePersonalToken(ctx, ids.token),
  });
}
