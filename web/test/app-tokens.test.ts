import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { expectComplaint, hasNoBrowser, useBrowser } from "./page.js";
import { PASSWORD, showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

describe.skipIf(hasNoBrowser)("a program without a browser", () => {
  useBrowser();

  it("is approved or denied by its code, after its user has seen what it requests", async () => {
    await service.manager("connie");
    const viewport = { width: 390, height: 800 };
    const page = await openSignedIn(service, { username: "connie" }, { viewport });
    const begin = async () => {
      const body = new URLSearchParams({ client_id: "asi-command", scope: "samples:read" });
      const response = await fetch(`${service.address}oauth2/device_authorization/`, {
        method: "POST",
        body,
      });
      return (await response.json()) as { device_code: string; user_code: string };
    };
    const redeem = async (device_code: string) => {
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const response = await fetch(`${service.address}oauth2/token/`, {
        method: "POST",
        body: new URLSearchParams({ grant_type, client_id: "asi-command", device_code }),
      });
      return ((await response.json()) as { error?: string }).error ?? response.status;
    };
    const decide = async (button: "Approve" | "Deny", confirm = async () => {}) => {
      const { device_code, user_code } = await begin();
      await showView(page, `#/connect?code=${user_code}`, "Sign in a program");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Read devices and samples, as asi pull does").waitFor();
      await page.getByText(/The command asi, started .* as connie for 10 hours:/).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByRole("button", { name: button }).click();
      await confirm();
      await page
        .getByRole("status")
        .getByText(/The program/)
        .waitFor();
      return redeem(device_code);
    };
    expect(await decide("Approve")).toBe(200);
    await showView(page, "#/account", "connie");
    expect(await decide("Deny")).toBe("access_denied");
    await showView(page, "#/account", "connie");
    // As the service answers more than five minutes after signing in.
    const headers = { "X-Error-Code": "password_required", "Content-Type": "application/problem+json" };
    const refused = { status: 400, headers, body: "{}" };
    await page.route("**/device-sign-ins/decide/", (route) => route.fulfill(refused), { times: 1 });
    expectComplaint(/status of 400/);
    const confirm = async () => {
      await page.getByLabel("Your password").fill(PASSWORD);
      await page.getByRole("button", { name: "Approve" }).click();
    };
    expect(await decide("Approve", confirm)).toBe(200);
    await showView(page, "#/account", "connie");
    await showView(page, "#/connect", "Sign in a program");
    await page.getByLabel("Code").fill("BBBB-BBBB");
    expectComplaint(/status of 400/);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(/No program waits with this code/).waitFor();
  });
});

describe.skipIf(hasNoBrowser)("a token for a program", () => {
  useBrowser();

  it("is created with its rights, shown once, used, and deleted", async () => {
    await service.manager("tokay");
    const page = await openSignedIn(
      service,
      { username: "tokay" },
      { viewport: { width: 390, height: 800 } },
    );
    await showView(page, "#/account", "tokay");
    await page.getByRole("button", { name: "Create a token…" }).click();
    const dialog = page.getByRole("dialog");
    const create = dialog.getByRole("button", { name: "Create" });
    await dialog.getByLabel("Name").fill("Warehouse");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    const read = dialog.getByLabel("Read devices and samples, as asi pull does");
    await read.uncheck();
    await create.click();
    await dialog.getByText("Choose what the program may do.").waitFor();
    await read.check();
    await dialog.getByLabel("Valid for").selectOption("90 days");
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await create.click();
    await dialog.getByText("It is shown only this once.").waitFor();
    const token = await dialog.locator("code").innerText();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    const item = page.getByRole("listitem").filter({ hasText: "Warehouse" });
    await item.getByText(/^samples:read; until .*; not used yet$/).waitFor();
    expect(await page.getByText(token).count()).toBe(0);

    const call = (path: string) =>
      fetch(`${service.address}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await call("api/v1/devices/")).status).toBe(200);
    expect((await call("api/v2/squads/")).headers.get("x-error-code")).toBe("insufficient_scope");
    await page.reload();
    await item.getByText(/last used /).waitFor();
    await page.getByRole("button", { name: "Delete the token Warehouse" }).click();
    await page.getByText("The token is deleted.").waitFor();
    await item.waitFor({ state: "detached" });
    expect((await call("api/v1/devices/")).status).toBe(403);
  });

  it("is not created with a wrong password, and the form shows the error next to its field", async () => {
    await service.manager("tokio");
    const page = await openSignedIn(service, { username: "tokio" });
    await showView(page, "#/account", "tokio");
    await page.getByRole("button", { name: "Create a token…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Warehouse");
    await dialog.getByLabel("Your password").fill("not the password");
    expectComplaint(/status of 400/);
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText(/password is (not correct|wrong)/i).waitFor();
    expect(await dialog.getByLabel("Your password").getAttribute("aria-invalid")).toBe("true");
  });
});

describe.skipIf(hasNoBrowser)("an application of a manager", () => {
  useBrowser();

  it("is created, gets tokens, and is deleted", async () => {
    await service.manager("appia");
    const page = await openSignedIn(
      service,
      { username: "appia" },
      { viewport: { width: 390, height: 800 } },
    );
    await showView(page, "#/account", "appia");
    await page.getByRole("button", { name: "Create an application…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Warehouse");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("It is shown only this once.").waitFor();
    const created = await dialog.locator("code").innerText();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Done" }).click();
    const item = page.getByRole("listitem").filter({ hasText: "Warehouse" });
    const client_id = await item.locator("code").innerText();
    await item.getByText("not used yet").waitFor();
    expect(await overflow(page)).toBe(0);
    await page.getByRole("button", { name: "Replace the secret of Warehouse…" }).click();
    await dialog.getByLabel("Your password").fill(PASSWORD);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Replace" }).click();
    await dialog.getByText("It is shown only this once.").waitFor();
    const client_secret = await dialog.locator("code").innerText();
    expect(client_secret).not.toBe(created);
    await dialog.getByRole("button", { name: "Done" }).click();
    const token = () =>
      fetch(`${service.address}oauth2/token/`, {
        method: "POST",
        body: new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret }),
      });
    expect((await token()).status).toBe(200);
    await page.getByRole("button", { name: "Delete the application Warehouse" }).click();
    await dialog.getByText("Its secret and its tokens stop working immediately.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The application is deleted.").waitFor();
    await item.waitFor({ state: "detached" });
    expect((await token()).status).toBe(401);
  });
});
