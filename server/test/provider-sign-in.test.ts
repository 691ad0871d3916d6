/** Signing in to the page with an OpenID provider: a real one, `oidc-provider`, on loopback. */
import { describe, expect, it } from "vitest";
import { commands } from "../src/operator/commands.js";
import { RedirectedBrowser, ROLES, startWithProvider } from "./openid-provider.js";

describe("signing in with the OpenID provider", () => {
  it("creates an account with the role of the user's groups, and finds it again by issuer and subject", async () => {
    const { s, provider } = await startWithProvider({ openidRoles: ROLES, openidCreateAccounts: true });
    provider.user = "sub-1";
    provider.users.set("sub-1", {
      preferred_username: "ann",
      given_name: "Ann",
      email: "ann@example.org",
      email_verified: true,
      groups: ["Staff"],
    });
    const browser = new RedirectedBrowser(s);
    expect(await browser.signIn()).toBe("#/signed-in");
    const account = await browser.account();
    expect(account).toMatchObject({ role: "MANAGER", username: "ann", email: "ann@example.org" });
    // The provider may rename its users.
    provider.users.set("sub-1", { preferred_username: "ann.ash", groups: ["Staff"] });
    const other = new RedirectedBrowser(s);
    expect(await other.signIn()).toBe("#/signed-in");
    expect((await other.account())?.id).toBe(account?.id);
  });
});
