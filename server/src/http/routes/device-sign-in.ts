import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import {
  DeviceDecision,
  DeviceSignIn,
  decideDeviceSignIn,
  findDeviceSignIn,
  UserCode,
} from "../../oauth/device-approvals.js";
import { beginDeviceSignIn, COMMAND_CLIENT_ID, DeviceAuthorization } from "../../oauth/device-codes.js";
import { tokenError } from "../../oauth/requests.js";
import { CustomResponse } from "../responses.js";
import { route } from "../route.js";

const FORM = "application/x-www-form-urlencoded";

const DeviceRequest = Type.Object(
  {
    client_id: Type.String(),
    scope: Type.Optional(
      Type.String({ description: "Scopes with spaces; default: samples:read sessions:read" }),
    ),
  },
  { examples: [{ client_id: COMMAND_CLIENT_ID, scope: "samples:read" }] },
);

const refusal = (error: string, description: string) => {
  const { status, headers, body } = tokenError(error, description);
  return new CustomResponse(status, headers, body);
};

/** Adds the operations for signing in on a device without a browser (RFC 8628). */
export function deviceSignInRoutes(app: FastifyInstance): void {
  route(app, {
    id: "beginDeviceSignIn",
    tag: "Authentication",
    summary: "Begin to sign in a program without a browser",
    description:
      "Device authorization of RFC 8628. The user opens the address and enters the code; meanwhile, the program requests the token at `/oauth2/token/` (`grant_type=urn:ietf:params:oauth:grant-type:device_code`). At most 10 sign-ins of one application wait for one address.",
    method: "POST",
    path: "/oauth2/device_authorization/",
    oauth: true,
    consumes: FORM,
    unsupportedTypeResponse: refusal("invalid_request", `The body must be ${FORM}.`),
    describedBody: DeviceRequest,
    success: { status: 200, schema: DeviceAuthorization },
    failures: [400, 401],
    throttle: ["token"],
    async handle({ ctx, request }) {
      const { client_id: clientId, scope } = (request.body ?? {}) as Record<string, unknown>;
      for (const value of [clientId, scope])
        if (value !== undefined && (typeof value !== "string" || value.includes("\0")))
          return refusal("invalid_request", "A field is repeated, or contains a NUL character.");
      if (typeof clientId !== "string" || clientId === "")
        return refusal("invalid_request", "The field client_id is missing.");
      const page = `${app.config.baseUrl ?? app.listeningOrigin}/#/connect`;
      const wanted = typeof scope === "string" && scope !== "" ? scope : undefined;
      const outcome = await beginDeviceSignIn(ctx, { clientId, scope: wanted }, page);
      return "error" in outcome ? refusal(outcome.error, outcome.description) : outcome;
    },
  });

  const own = { tag: "Session", version: 2, method: "POST", throttle: ["deviceCode"] } as const;

  route(app, {
    ...own,
    id: "findDeviceSignIn",
    summary: "Show the program that waits with a code",
    description: "Compare the program and its scopes with what you have started.",
    path: "/api/v2/device-sign-ins/find/",
    body: UserCode,
    success: { status: 200, schema: DeviceSignIn },
    failures: [400],
    isRepeatable: true,
    handle: ({ ctx, body }) => findDeviceSignIn(ctx, body),
  });

  route(app, {
    ...own,
    id: "decideDeviceSignIn",
    summary: "Approve or deny the program that waits with a code",
    description:
      "Each code can be approved or denied only once. An approval more than 5 minutes after signing in needs the password. An approved program gets a token with the requested scopes for 10 hours.",
    path: "/api/v2/device-sign-ins/decide/",
    body: DeviceDecision,
    success: { status: 204 },
    failures: [400],
    isRepeatable: true,
    handle: ({ ctx, body }) => decideDeviceSignIn(ctx, body),
  });
}
