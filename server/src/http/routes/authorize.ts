import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { type Authorization, authorizeRequest, type Fields } from "../../oauth/authorize.js";
import { passwordAttempts } from "../limits/password-attempts.js";
import { CustomResponse, type ResponseHead } from "../responses.js";
import { route } from "../route.js";

const AuthorizeQuery = Type.Object({
  response_type: Type.Optional(Type.String({ description: "code", examples: ["code"] })),
  client_id: Type.Optional(Type.String({ examples: ["kW3nXw0b7yQ2"] })),
  redirect_uri: Type.Optional(
    Type.String({
      description: "One of the addresses that the application has registered, with exactly the same text",
      examples: ["https://app.example.org/callback"],
    }),
  ),
  state: Type.Optional(Type.String({ examples: ["9f2c41d07b"] })),
  scope: Type.Optional(Type.String()),
  code_challenge: Type.Optional(
    Type.String({ description: "RFC 7636", examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"] }),
  ),
  code_challenge_method: Type.Optional(Type.String({ description: "S256", examples: ["S256"] })),
});

/** Adds the authorization code flow: a login page, and a redirect with a code. */
export function authorizeRoutes(app: FastifyInstance): void {
  route(app, {
    id: "authorize",
    tag: "Authentication",
    summary: "Authorization code flow: the login page",
    description: "POST takes the same parameters with username and password, and responds with the redirect.",
    deprecated: true,
    method: "GET",
    otherMethods: ["POST"],
    path: "/oauth2/authorize/",
    oauth: true,
    consumes: "application/x-www-form-urlencoded",
    describedQuery: AuthorizeQuery,
    success: { status: 200, mediaType: "text/html" },
    failures: [302, 400, 410],
    throttle: ["token"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    async handle({ ctx, request, reply }) {
      const form = request.method === "POST" ? (request.body as Fields | undefined) : undefined;
      const { username, password } = form ?? {};
      const credentials =
        form === undefined
          ? null
          : {
              username: typeof username === "string" ? username.replaceAll("\0", "") : "",
              password: typeof password === "string" ? password : "",
            };
      const sent = form ?? (request.query as Fields);
      const outcome = await authorizeRequest(ctx, passwordAttempts(app, request), sent, credentials);
      if (outcome.kind === "redirect") return new CustomResponse(302, { Location: outcome.location });
      if (outcome.kind === "refused") return refusal(outcome.reason);
      return loginPage(reply, outcome);
    },
  });
}

const refusal = (reason: string) =>
  new CustomResponse(
    400,
    { "Content-Type": "text/html; charset=utf-8" },
    page(`<p>${escapeHtml(reason)}</p>`),
  );

type Login = Extract<Authorization, { kind: "login" }>;

function loginPage(reply: ResponseHead, { applicationName, fields, problem }: Login): string {
  // The form is sent to the address of the page. Browsers also apply `form-action` to the redirect
  // that follows.
  const target = new URL(fields.redirect_uri ?? "").origin;
  reply.header(
    "Content-Security-Policy",
    `default-src 'none'; form-action 'self' ${target === "null" ? "" : target}; frame-ancestors 'none'`,
  );
  const hidden = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("");
  return page(
    `<h1>Log in to ${escapeHtml(applicationName)}</h1>
${problem === null ? "" : `<p>${escapeHtml(problem)}</p>`}
<form method="post">${hidden}
<p><label>Username <input name="username" autocomplete="username" required></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
<p><button>Log in</button></p>
</form>`,
  );
}

const page = (content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Log in</title></head><body>${content}</body></html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
