import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { hashSessionToken } from "../../domain/secrets/tokens.js";
import {
  Credentials,
  endOtherSession,
  endSession,
  listOwnSessions,
  PAGE_SESSION_S,
  Session,
  signIn,
} from "../../oauth/page-sessions.js";
import { Page, PageQuery } from "../../wire/types.js";
import { isFromPage, sessionCookie, sessionToken } from "../browser/session-cookie.js";
import { passwordAttempts } from "../limits/password-attempts.js";
import { route } from "../route.js";

const tag = "Session";

/** Adds the operations for signing in to the page on the origin of the API. Other clients use the token endpoint. */
export function sessionRoutes(app: FastifyInstance): void {
  route(app, {
    id: "createSession",
    tag,
    summary: "Sign in to the page",
    description:
      "Sets the cookie of the session, for requests of the page on this origin with `X-Asi-Page: 1`. Other clients use the token endpoint. " +
      "A disabled account is refused with `X-Error-Code: account_disabled`, if the password is correct. " +
      "The session ends after 12 hours, when the password is changed, or when it is deleted here.",
    method: "POST",
    path: "/session/",
    body: Credentials,
    success: {
      status: 201,
      schema: Session,
      headers: { "Set-Cookie": "The cookie of the session: HttpOnly, SameSite=Strict, and Secure over TLS" },
    },
    failures: [400, 410],
    throttle: ["token"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    async handle({ ctx, request, reply, body }) {
      if (!isFromPage(request)) {
        throw errors.forbidden(
          "This operation is only for the page, with the header X-Asi-Page: 1. Use the token endpoint.",
        );
      }
      const replaced = sessionToken(app.config, request);
      const { session, token } = await signIn(
        ctx,
        passwordAttempts(app, request),
        body,
        request.headers["user-agent"],
        replaced === undefined ? undefined : hashSessionToken(replaced),
      );
      reply.header("Set-Cookie", sessionCookie(app.config, token, PAGE_SESSION_S));
      return session;
    },
  });

  route(app, {
    id: "listSessions",
    tag,
    summary: "List your sessions",
    description: "Returns sessions of the page and of applications, most recently used first.",
    method: "GET",
    path: "/session/",
    query: Type.Object(PageQuery),
    success: { status: 200, schema: Page(Session) },
    failures: [404],
    handle: ({ ctx, query }) => listOwnSessions(ctx, query),
  });

  route(app, {
    id: "endSession",
    tag,
    summary: "Sign out",
    description: "Ends the session of the request and removes its cookie.",
    method: "DELETE",
    path: "/session/",
    success: { status: 204 },
    async handle({ ctx, reply }) {
      await endSession(ctx);
      reply.header("Set-Cookie", sessionCookie(app.config, "", 0));
    },
  });

  route(app, {
    id: "endOtherSession",
    tag,
    summary: "End one of your sessions",
    method: "DELETE",
    path: "/session/{page_session}/",
    success: { status: 204 },
    handle: ({ ctx, ids }) => endOtherSession(ctx, ids.page_session),
  });
}
