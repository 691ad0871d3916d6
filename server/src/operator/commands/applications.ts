import { errors } from "../../domain/change/errors.js";
import { SCOPE_NAMES } from "../../domain/change/scopes.js";
import { createApplication, listApplications, rotateSecret } from "../../oauth/applications.js";
import { revokeApplication } from "../../oauth/sessions.js";
import type { Scope } from "../../store/schema.js";
import { after, flag, text } from "./arguments.js";
import type { Commands } from "./outcome.js";

const texts = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.map(String) : [];

/** @throws ServiceError `invalid` */
function scopesIn(names: readonly string[]): Scope[] {
  return [...new Set(names)].map((name) => {
    const scope = SCOPE_NAMES.find((one) => one === name);
    if (scope !== undefined) return scope;
    throw errors.field("scope", `${name} is not a scope. The scopes are ${SCOPE_NAMES.join(", ")}.`);
  });
}

export const applicationCommands = {
  async "app create"(ctx, args) {
    const { user } = args;
    const [redirectUris, scopes] = [texts(args.redirectUri), scopesIn(texts(args.scope))];
    if ((user === undefined) !== (scopes.length === 0)) {
      throw errors.field(
        "scope",
        "Use --user and --scope together, for an application that acts for a user.",
      );
    }
    if (user !== undefined && redirectUris.length > 0) {
      throw errors.field(
        "redirect_uri",
        "An application that acts for a user has no login page: omit --redirect-uri.",
      );
    }
    const isDevice = flag(args, "device");
    if (isDevice === true && (user !== undefined || redirectUris.length > 0))
      throw errors.field("device", "Use --device without --user and --redirect-uri.");
    const { clientId, clientSecret } = await createApplication(ctx, {
      isDevice: isDevice === true,
      name: text(args, "name"),
      redirectUris,
      ...(user === undefined ? {} : { machine: { username: text(args, "user"), scopes } }),
    });
    return { client_id: clientId, ...(isDevice === true ? {} : { client_secret: clientSecret }) };
  },

  "app list": async (ctx, args) => ({ ...(await listApplications(ctx, after(args))) }),

  async "app rotate-secret"(ctx, args) {
    const clientId = text(args, "clientId");
    const { name, clientSecret } = await rotateSecret(ctx, clientId);
    return { name, client_id: clientId, client_secret: clientSecret };
  },

  async "app revoke"(ctx, args) {
    const { name, revokedAt, sessions } = await revokeApplication(ctx, text(args, "clientId"));
    return { name, revoked: revokedAt.toISOString(), sessions_ended: sessions };
  },
} satisfies Commands;
