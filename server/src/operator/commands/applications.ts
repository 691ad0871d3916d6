import { createApplication, listApplications, rotateSecret } from "../../oauth/applications.js";
import { revokeApplication } from "../../oauth/sessions.js";
import { after, text } from "./arguments.js";
import type { Commands } from "./outcome.js";

export const applicationCommands = {
  async "app create"(ctx, args) {
    const { redirectUri } = args;
    const redirectUris = typeof redirectUri === "object" ? redirectUri : [];
    const { clientId, clientSecret } = await createApplication(ctx, {
      name: text(args, "name"),
      redirectUris: typeof redirectUri === "string" ? [redirectUri] : redirectUris,
    });
    return { client_id: clientId, client_secret: clientSecret };
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
