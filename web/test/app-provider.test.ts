/** Tests of signing in with an OpenID provider, which the browser treats as a different site. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../server/test/openid-provider.js";
import { overflow, violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { BuiltService, PASSWORD, showView, signIn } from "./service.js";

const ROLES = { Staff: ["manager"], Players: ["athlete"] };

let provider: TestProvider;
/** A service to which users can also sign in with passwords. */
let service: BuiltService;
/** A service to which users can sign in only with the provider. It creates their accounts. */
let strict: BuiltService;

async function newService(settings: Record<string, string>): Promise<BuiltService> {
  const started = new BuiltService({
    OPENID_ISSUER: provider.issuer,
    OPENID_CLIENT_ID: CLIENT_ID,
    OPENID_CLIENT_SECRET: CLIENT_SECRET,
    OPENID_NAME: "Verein Süd",
    OPENID_SCOPES: "openid profile email groups",
    ...settings,
  });
  await started.start();
  return started;
}

const callbackOf = ({ address }: BuiltService) => `${address}session/openid/callback/`;

describe.skipIf(hasNoBrowser)("signing in with the provider", () => {
  useBrowser();
  beforeAll(async () => {
    provider = await startProvider("localhost");
    service = await newService({});
    strict = await newService({
      PASSWORD_SIGN_IN: "false",
      OPENID_CREATE_ACCOUNTS: "true",
      OPENID_ROLES: JSON.stringify(ROLES),
    });
    provider.register(callbackOf(service), callbackOf(strict));
  });
  afterAll(async () => {
    await strict?.stop();
    await service?.stop();
    await provider?.stop();
  });

  it("leads to the provider and back to the previous view", async () => {
    provider.user = "sub-dora";
    provider.users.set("sub-dora", { preferred_username: "dora", groups: ["Staff"] });
    const page = await openPage({ at: strict.address, hash: "#/squads", allowed: [provider.issuer] });
    const button = page.getByRole("button", { name: "Sign in with Verein Süd" });
    await button.waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    expect(await page.getByText("Register").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await button.click();
    await page.getByRole("heading", { level: 1, name: "Squads" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/squads");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Squads" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
  });

  it("allows creating a token without a password for a short time, and offers no password to change", async () => {
    provider.user = "sub-emil";
    provider.users.set("sub-emil", { preferred_username: "emil", groups: ["Staff"] });
    const page = await openPage({ at: strict.address, hash: "#/sign-in", allowed: [provider.issuer] });
    await page.getByRole("button", { name: "Sign in with Verein Süd" }).click();
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    await showView(page, "#/account", "emil");
    await page.getByText(/^Linked since /).waitFor();
    expect(await page.getByRole("heading", { name: "Password" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Remove the link" }).count()).toBe(0);
    await page.getByRole("button", { name: "Create a token…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Warehouse");
    await dialog.getByText("You sign in with Verein Süd. This works in the first 5 minutes").waitFor();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("It is shown only this once.").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Create a token…" }).click();
    const again = page.waitForRequest((request) => request.url().includes("max_age=60"));
    await dialog.getByRole("button", { name: "Sign in again" }).click();
    expect((await again).url()).toContain(provider.issuer);
    await page.getByRole("heading", { level: 1, name: "emil" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/account");
  });

  it("explains why a user cannot sign in", async () => {
    provider.user = "sub-stranger";
    provider.users.set("sub-stranger", { groups: ["Others"] });
    const page = await openPage({ at: strict.address, hash: "#/sign-in", allowed: [provider.issuer] });
    const button = page.getByRole("button", { name: "Sign in with Verein Süd" });
    await button.click();
    await page.getByText("Your groups there do not let you use this service.").waitFor();
    expect(await violations(page)).toEqual([]);
    provider.user = null;
    // the provider remembers the user of the first window
    const cancelled = await openPage({ at: strict.address, hash: "#/sign-in", allowed: [provider.issuer] });
    await cancelled.getByRole("button", { name: "Sign in with Verein Süd" }).click();
    await cancelled.getByText("It did not sign you in, or you cancelled. Try again.").waitFor();
  });

  it("explains that the provider is away", async () => {
    // The others have read the provider's metadata, and would lead to it.
    const started = await newService({});
    onTestFinished(() => started.stop());
    provider.replaced = (_request, response) => response.writeHead(503).end();
    onTestFinished(() => {
      provider.replaced = null;
    });
    const page = await openPage({ at: started.address, hash: "#/sign-in", allowed: [provider.issuer] });
    expectComplaint(/status of 503/);
    await page.getByRole("button", { name: "Sign in with Verein Süd" }).click();
    await page.getByText("You cannot sign in this way at the moment.").waitFor();
  });

  it("works for an existing account from linking it to removing the link", async () => {
    await service.manager("fay");
    provider.user = "sub-fay";
    const page = await openPage({ at: service.address, hash: "#/sign-in", allowed: [provider.issuer] });
    const button = page.getByRole("button", { name: "Sign in with Verein Süd" });
    await button.click();
    await page.getByText("No account here belongs to you yet.").waitFor();
    await signIn(page, "fay");
    await showView(page, "#/account", "fay");
    await page.getByRole("button", { name: "Link your account…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill("not the password");
    expectComplaint(/status of 400/);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText(/password is (not correct|wrong)/i).waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await page.getByText(/^Linked since /).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await showView(page, "#/sign-in", "Sign in");
    await button.click();
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    await showView(page, "#/account", "fay");
    await page.getByText(/, last used /).waitFor();
    await page.getByRole("button", { name: "Remove the link" }).click();
    await page.getByText("The link is removed.").waitFor();
    await page.getByText("Your account is not linked. You sign in with your password.").waitFor();
  });
});
