import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { BASE_URL_IS_MISSING, pageAddress } from "../../config/page-address.js";
import { requestPasswordReset, resetPassword } from "../../domain/accounts/password-reset.js";
import { Password } from "../../domain/accounts/resource.js";
import { usernameKey } from "../../domain/accounts/usernames.js";
import { Text } from "../../wire/types.js";
import { route } from "../route.js";

const tag = "Account";

const ResetRequest = Type.Object(
  { username: Text({ minLength: 1, description: "Name used to authenticate" }) },
  { examples: [{ username: "ann" }] },
);

const NewPasswordByToken = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 100, description: "Token from the link in the email" }),
    password: Password,
  },
  {
    examples: [{ token: "Zy0GgSTuX8z2g8wN0lKxV0m4tKX0D9Yp0yLrQ3bV1aU", password: "a long passphrase" }],
  },
);

export function passwordResetRoutes(app: FastifyInstance): void {
  route(app, {
    id: "requestPasswordReset",
    tag,
    summary: "Request an email with a link for a new password",
    description:
      "The link leads to the page, works once and for one hour. The response does not depend on whether the account exists. " +
      "Nothing is sent to accounts that cannot log in: managed athletes and disabled accounts.",
    method: "POST",
    path: "/api/v1/account/request-password-reset/",
    body: ResetRequest,
    success: { status: 204 },
    failures: [400, 410],
    throttle: ["passwordReset"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    async handle({ ctx, request, body }) {
      await app.throttle.passwordReset(usernameKey(body.username), request.ip);
      // Do not use the Host header, which the client chooses.
      const page = pageAddress(app.config, app.listeningOrigin);
      if (page === null) request.log.error(`No link was sent. ${BASE_URL_IS_MISSING}`);
      else await requestPasswordReset(ctx, body.username, page);
    },
  });

  route(app, {
    id: "resetPassword",
    tag,
    summary: "Set a new password with the token from the link in the email",
    description:
      "Every token, session and link of the account ends, and an email reports the change. " +
      "A wrong, used or expired token is 400 with `X-Error-Code: invalid_reset_token`. A password that is refused leaves the token valid.",
    method: "POST",
    path: "/api/v1/account/reset-password/",
    body: NewPasswordByToken,
    success: { status: 204 },
    failures: [400, 410],
    throttle: ["token"],
    isEnabled: ({ passwordSignIn }) => passwordSignIn,
    handle: ({ ctx, body }) => resetPassword(ctx, body.token, body.password),
  });
}
