import { BASE_URL_IS_MISSING, pageAddress } from "../../config/page-address.js";
import { UsageError } from "../../config/usage-error.js";
import { disableAccount, enableAccount } from "../../domain/accounts/disable.js";
import { listAccounts, showAccount } from "../../domain/accounts/overview.js";
import { mailResetForOperator } from "../../domain/accounts/password-reset.js";
import { deleteAccount } from "../../domain/deletion/account.js";
import { grantManagedAthletes } from "../../domain/managers/grant.js";
import { identitiesOf, linkAccount, unlinkAccount } from "../../oauth/provider/identities.js";
import { listSessions, revokeSessions } from "../../oauth/sessions.js";
import { after, flag, oneOf, optionalInteger, optionalText, text } from "./arguments.js";
import type { Commands } from "./outcome.js";

export const accountCommands = {
  async "account list"(ctx, args) {
    const role = oneOf(args, "role", ["MANAGER", "ATHLETE", "ADMINISTRATOR"]);
    const filters = { role, disabled: flag(args, "disabled"), search: optionalText(args, "search") };
    return { ...(await listAccounts(ctx, filters, after(args))) };
  },

  async "account show"(ctx, args) {
    const account = await showAccount(ctx, text(args, "username"));
    const identities = await identitiesOf(ctx.queries, account.id);
    return {
      ...account,
      identities: identities.map(({ issuer, subject, createdAt, lastUsedAt }) => ({
        issuer,
        subject,
        linked: createdAt.toISOString(),
        last_used: lastUsedAt?.toISOString() ?? null,
      })),
    };
  },

  "account link": async (ctx, args) => ({
    ...(await linkAccount(ctx, text(args, "username"), text(args, "subject"))),
  }),

  "account unlink": async (ctx, args) => ({
    ...(await unlinkAccount(ctx, text(args, "username"), optionalText(args, "issuer"))),
  }),

  async "account disable"(ctx, args) {
    const { username, disabledAt } = await disableAccount(ctx, text(args, "username"));
    return { username, disabled: disabledAt?.toISOString() };
  },

  async "account enable"(ctx, args) {
    const { username } = await enableAccount(ctx, text(args, "username"));
    return { username, disabled: null };
  },

  async "account reset-password"(ctx, args) {
    const page = pageAddress(ctx.config);
    if (page === null) throw new UsageError(BASE_URL_IS_MISSING);
    const { username, email, expiresAt } = await mailResetForOperator(ctx, text(args, "username"), page);
    return { username, mailed_to: email, expires: expiresAt.toISOString() };
  },

  async "account delete"(ctx, args) {
    const { id, role } = await deleteAccount(ctx, text(args, "username"));
    return { account: id, role, deleted: true };
  },

  async "manager grant"(ctx, args) {
    const { username } = await grantManagedAthletes(ctx, text(args, "username"));
    return { username, extra_permissions: ["can_create_managed_athletes"] };
  },

  async "session list"(ctx, args) {
    const { username, sessions } = await listSessions(ctx, text(args, "username"));
    return {
      username,
      sessions: sessions.map((session) => ({
        id: session.id,
        name: session.name,
        application: session.application,
        client_id: session.clientId,
        issued: session.issuedAt.toISOString(),
        last_used: session.lastUsedAt.toISOString(),
        access_tokens: session.accessTokens,
      })),
    };
  },

  async "session revoke"(ctx, args) {
    const id = optionalInteger(args, "id");
    const username = await revokeSessions(ctx, text(args, "username"), id);
    return { username, ...(id === undefined ? {} : { id }), tokens: "revoked" };
  },
} satisfies Commands;
