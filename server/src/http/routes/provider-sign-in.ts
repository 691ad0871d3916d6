import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { confirmPassword } from "../../domain/accounts/credential-changes.js";
import { errors } from "../../domain/change/errors.js";
import { hashSessionToken } from "../../domain/secrets/tokens.js";
import { PAGE_SESSION_S } from "../../oauth/page-sessions.js";
import { FLOW_S, type Flow } from "../../oauth/provider/flow.js";
import {
  requireUnlinked,
  retrieveSignInMethods,
  SignInMethods,
  unlinkOwn,
} from "../../oauth/provider/identities.js";
import { OpenIdProvider } from "../../oauth/provider/provider.js";
import { beginAtProvider, finishAtProvider, type SignInOutcome } from "../../oauth/provider/sign-in.js";
import { Query } from "../../wire/types.js";
import { flowCookie, flowOf, isFromPage, sessionCookie, sessionToken } from "../browser/session-cookie.js";
import type { ResponseHead } from "../responses.js";
import { route } from "../route.js";

const CALLBACK = "/session/openid/callback/";

/** Path from the callback to the page. It is relative, because the page may be under a path prefix. */
const PAGE = "../../../";

const Location = Type.Object(
  { location: Type.String({ format: "uri", description: "Address of the provider, for the browser" }) },
  { examples: [{ location: "https://id.example.org/authorize?response_type=code&client_id=asi" }] },
);

const LinkInput = Type.Object(
  {
    password: Type.String({
      minLength: 1,
      maxLength: 4096,
      format: "password",
      description: "Your password, because the session of this request may be stolen",
    }),
  },
  { examples: [{ password: "a long passphrase" }] },
);

const FLOW_HEADER = { "Set-Cookie": "The cookie of the sign-in, for 10 minutes: HttpOnly, SameSite=Lax" };

/**
 * Adds the operations for signing in to the page with the configured OpenID provider (OpenID Connect Core 1.0, code flow with
 * PKCE).
 */
export function providerSignInRoutes(app: FastifyInstance): void {
  const { config } = app;
  const isEnabled = () => config.openidIssuer !== null;
  const provider = config.openidIssuer === null ? null : new OpenIdProvider(config, config.openidIssuer);
  const callbackAddress = () => `${config.baseUrl ?? app.listeningOrigin}${CALLBACK}`;

  const begin = async (request: FastifyRequest, reply: ResponseHead, flow: Flow) => {
    if (provider === null) throw errors.gone("This operation is disabled.");
    if (!isFromPage(request))
      throw errors.forbidden("This operation is only for the page, with the header X-Asi-Page: 1.");
    const warn = (reason: string) => request.log.warn({ reason }, "the OpenID provider is not usable");
    const { location, cookie } = await beginAtProvider(request.ctx, provider, callbackAddress(), flow, warn);
    reply.header("Set-Cookie", flowCookie(config, cookie, FLOW_S));
    return { location };
  };

  let isWarned = false;
  const warnOfMissingGroups = ({ log }: FastifyRequest) => {
    if (!isWarned)
      log.warn(
        { claim: config.openidGroupsClaim },
        "the OpenID provider does not send the claim with the groups: its users have no groups",
      );
    isWarned = true;
  };

  route(app, {
    id: "beginProviderSignIn",
    tag: "Session",
    summary: "Begin to sign in to the page with the OpenID provider",
    query: Type.Object({
      again: Query.boolean(
        "Whether the provider must authenticate you again, for an action that needs a recent sign-in",
      ),
    }),
    description:
      "The page then sends the browser to the provider's address, which redirects to `/session/openid/callback/`. " +
      "The callback sets the cookie of the session and redirects to the page. " +
      "If the provider does not respond, the status is 503 with `X-Error-Code: provider_unavailable`.",
    method: "POST",
    path: "/session/openid/",
    success: { status: 200, schema: Location, headers: FLOW_HEADER },
    failures: [410],
    throttle: ["token"],
    isEnabled,
    isRepeatable: true,
    waitsForOthers: true,
    handle({ query, request, reply }) {
      const replaced = sessionToken(config, request);
      const tokenHash = replaced === undefined ? null : hashSessionToken(replaced);
      return begin(request, reply, { accountId: null, tokenHash, mustAuthenticate: query.again === true });
    },
  });

  if (provider !== null) {
    app.get(CALLBACK, { config: { open: true } }, async (request, reply) => {
      await app.throttle("token", request, reply);
      const outcome = await finishAtProvider(request.ctx, provider, {
        // Do not use the Host header, which the client chooses.
        url: new URL(`${callbackAddress()}${queryOf(request)}`),
        cookie: flowOf(config, request),
        userAgent: request.headers["user-agent"],
        countRegistration: () => app.throttle("registration", request),
        onMissingGroups: () => warnOfMissingGroups(request),
      });
      const isForeign = outcome.kind === "failed" && outcome.isForeign === true;
      if (!isForeign) reply.header("Set-Cookie", flowCookie(config, "", 0));
      if (outcome.kind === "signed-in")
        reply.header("Set-Cookie", sessionCookie(config, outcome.token, PAGE_SESSION_S));
      if (outcome.kind === "failed") {
        const { problem, reason } = outcome;
        request.log.warn({ problem, reason }, "a sign-in with the OpenID provider failed");
      }
      return redirect(reply, outcome);
    });
  }

  route(app, {
    id: "retrieveSignInMethods",
    tag: "Session",
    version: 2,
    summary: "Show how you can sign in",
    description: "Available only if the settings contain an OpenID provider.",
    method: "GET",
    path: "/api/v2/sign-in-methods/",
    success: { status: 200, schema: SignInMethods },
    failures: [410],
    isEnabled,
    handle: ({ ctx }) => retrieveSignInMethods(ctx),
  });

  route(app, {
    id: "linkProvider",
    tag: "Session",
    version: 2,
    summary: "Begin to link your account to a user of the OpenID provider",
    description:
      "Only for the page, with the header `X-Asi-Page: 1`. The page then sends the browser to the provider's address. After the user has signed in there, this user can sign in to the account.",
    method: "POST",
    path: "/api/v2/sign-in-methods/provider/",
    body: LinkInput,
    success: { status: 200, schema: Location, headers: FLOW_HEADER },
    failures: [400, 409, 410],
    throttle: ["token"],
    isEnabled,
    waitsForOthers: true,
    async handle({ ctx, body, request, reply }) {
      await requireUnlinked(ctx);
      await confirmPassword(ctx, body.password);
      return begin(request, reply, {
        accountId: ctx.caller?.id ?? null,
        tokenHash: ctx.tokenHash ?? null,
        mustAuthenticate: false,
      });
    },
  });

  route(app, {
    id: "unlinkProvider",
    tag: "Session",
    version: 2,
    summary: "Remove the link to the user of the OpenID provider",
    description:
      "Also withdraws the roles that the groups of the user gave. An account without a password keeps its link: status 409 with the code `only_sign_in`.",
    method: "DELETE",
    path: "/api/v2/sign-in-methods/provider/",
    success: { status: 204 },
    failures: [404, 409, 410],
    isEnabled,
    handle: ({ ctx }) => unlinkOwn(ctx),
  });
}

const queryOf = ({ url }: FastifyRequest): string => {
  const at = url.indexOf("?");
  return at === -1 ? "" : url.slice(at);
};

/** Redirects to the page. The part after `#` is sent neither to servers nor in `Referer`. */
function redirect(reply: FastifyReply, outcome: SignInOutcome): FastifyReply {
  const view =
    outcome.kind === "signed-in"
      ? "signed-in"
      : outcome.kind === "linked"
        ? "account"
        : `${outcome.isLink ? "account" : "sign-in"}?problem=${outcome.problem}`;
  return reply.code(303).header("Location", `${PAGE}#/${view}`).send();
}
