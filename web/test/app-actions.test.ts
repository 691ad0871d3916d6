import { unwrap } from "asi-client";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { held } from "./held.js";
import { expectComplaint, hasNoBrowser, openBeside, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

describe.skipIf(hasNoBrowser)("an action of a user", () => {
  useBrowser();

  /** Creates a manager with a device. Returns the manager and the id of the device. */
  async function owner(username: string): Promise<{ username: string; device: number }> {
    await service.manager(username);
    await service.addDevice(username.toUpperCase(), username);
    const client = await service.clientOf(username);
    const body = { serial_number: username.toUpperCase(), device_name: username };
    const { id } = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body }));
    return { username, device: id };
  }

  it("shows its progress on its button if it takes a long time, and is performed once", async () => {
    const { username, device } = await owner("arno");
    const page = await openSignedIn(service, { username });
    await showView(page, `#/devices/${device}`, username);
    const { waiting, release } = await held(page, "**/release-ownership/", "POST");
    await page.getByRole("button", { name: "Release the device…" }).click();
    await page.getByRole("button", { name: "Release the device", exact: true }).click();
    const button = page.getByRole("button", { name: "Releasing the device…" });
    await button.waitFor();
    expect(await button.getAttribute("aria-disabled")).toBe("true");
    expect(await page.getByRole("status").filter({ hasText: "Releasing the device…" }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await button.click({ force: true });
    expect([waiting.length, await page.getByRole("dialog").count()]).toEqual([1, 0]);
    await release();
    await page.getByText(`${username} is released.`).waitFor();
  });

  it("shows the error, and can be repeated", async () => {
    const { username, device } = await owner("cleo");
    const page = await openSignedIn(service, { username });
    await showView(page, `#/devices/${device}`, username);
    expectComplaint(/status of 500/);
    await page.route("**/release-ownership/", (route) =>
      route.fulfill({ status: 500, headers: { "X-Request-Id": "abc" }, json: { detail: "No." } }),
    );
    const release = async () => {
      await page.getByRole("button", { name: "Release the device…" }).click();
      await page.getByRole("button", { name: "Release the device", exact: true }).click();
    };
    await release();
    await page.getByRole("alert").filter({ hasText: "The device was not released." }).waitFor();
    await page.unroute("**/release-ownership/");
    await release();
    await page.getByText(`${username} is released.`).waitFor();
  });

  it("shows that signing out is in progress", async () => {
    const { username } = await service.manager("sol");
    const page = await openSignedIn(service, { username });
    const { release } = await held(page, "**/session/", "DELETE");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Signing out…" }).waitFor();
    await release();
    await page.getByText("You are signed out.").waitFor();
  });

  it("shows that a picture is being saved, and accepts the next one", async () => {
    await service.athlete("pia", { first_name: "Pia" });
    const page = await openSignedIn(service, { username: "pia" });
    await showView(page, "#/account", "Pia");
    const { release } = await held(page, /\/athletes\/\d+\/$/, "PATCH");
    const PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const picture = { name: "pia.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };
    await page.getByLabel("JPEG, PNG or WebP").setInputFiles(picture);
    await page.getByLabel("Saving the picture…").waitFor();
    expect(await page.getByLabel("Saving the picture…").isDisabled()).toBe(true);
    await release();
    await page.getByRole("img", { name: "Pia" }).waitFor();
    await page.getByText("The picture is saved.").waitFor();
    const large = { ...picture, buffer: Buffer.alloc(2 * 1024 * 1024 + 1) };
    await page.getByLabel("JPEG, PNG or WebP").setInputFiles(large);
    await page.getByText("It is larger than 2 MiB. Choose a smaller one.").waitFor();
  });

  it("is not lost when the user leaves an editor, because links and the Back button ask first", async () => {
    const { username, device } = await owner("eva");
    const page = await openSignedIn(service, { username });
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByRole("link", { name: username, exact: true }).click();
    await page.getByLabel("Your name for it").fill("Left wing");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    const stay = () => question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "All devices" }).click();
    await question.waitFor();
    await stay();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/devices/${device}`);
    expect(await page.getByLabel("Your name for it").inputValue()).toBe("Left wing");
    await page.goBack();
    await question.waitFor();
    await stay();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/devices/${device}`);

    // a form with saved or unchanged values does not ask
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByRole("heading", { level: 1, name: "Left wing" }).waitFor();
    await page.getByLabel("Address").first().fill("A0:9E:1A:00:00:01");
    await page.getByLabel("Address").first().fill("");
    await page.getByRole("link", { name: "All devices" }).click();
    await page.getByRole("row", { name: "Left wing" }).waitFor();

    await page.getByRole("link", { name: "Left wing" }).click();
    await page.getByLabel("Address").first().fill("A0:9E:1A:00:00:01");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await question.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByRole("heading", { level: 1, name: username }).waitFor();
  });

  it("is not lost when the user leaves an editor immediately after the form appears", async () => {
    const { username, device } = await owner("ida");
    const page = await openSignedIn(service, { username });
    await page.evaluate(
      (hash) =>
        new Promise<void>((resolve) => {
          new MutationObserver((_, observer) => {
            const field = document.querySelector<HTMLInputElement>("[name=custom_name]");
            if (field === null) return;
            observer.disconnect();
            field.value = "Left wing";
            location.hash = "#/devices";
            resolve();
          }).observe(document.body, { childList: true, subtree: true });
          location.hash = hash;
        }),
      `#/devices/${device}`,
    );
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  });

  it("is not lost if it was entered while a save was in progress", async () => {
    await service.manager("jan");
    const page = await openSignedIn(service, { username: "jan" });
    await showView(page, "#/account", "jan");
    await page.getByLabel("First name").fill("Jan");
    const { release } = await held(page, "**/api/v1/managers/*/", "PATCH");
    await page.getByRole("button", { name: "Save the profile" }).click();
    await page.getByLabel("Last name").fill("Winter");
    await release();
    await page.getByText("The profile is saved.").waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  });

  it("takes effect in every tab, even in a tab that is loading the account", async () => {
    const { username } = await service.manager("finn");
    const page = await openSignedIn(service, { username });
    const beside = await openBeside(page, `${service.address}#/devices`);
    await beside.getByText("You have no devices.").waitFor();
    const answers: (() => Promise<void>)[] = [];
    await beside.route("**/api/v1/account/", async (route) => {
      const response = await route.fetch();
      answers.push(() => route.fulfill({ response }));
    });
    await beside.reload();
    await expect.poll(() => answers.length).toBe(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await beside.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await answers[0]?.();
    await beside.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(await beside.getByRole("navigation", { name: "Views" }).count()).toBe(0);
  });

  it("is not offered for the account of an administrator, which the operator changes", async () => {
    const { username } = await service.manager("root");
    const page = await openSignedIn(service, { username });
    await page.route("**/api/v1/account/", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), role: "ADMINISTRATOR" } });
    });
    await page.reload();
    await showView(page, "#/account", username);
    await page.getByText("The person who runs the service changes it").waitFor();
    await page.getByText("(this one)").waitFor();
    expect(await page.getByRole("navigation", { name: "Views" }).getByRole("link").allInnerTexts()).toEqual([
      "Viewer",
      "Account",
    ]);
    expect([await page.locator("form").count(), await violations(page)]).toEqual([0, []]);
  });
});
