import { unwrap } from "asi-client";
import { demoRows, encode } from "asi-convert";
import { describe, expect, it } from "vitest";
import { expectComplaint, hasNoBrowser, openBeside, useBrowser } from "./page.js";
import { PASSWORD, showView, signIn } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

describe.skipIf(hasNoBrowser)("the page of a service", () => {
  useBrowser();

  it("asks to sign in again if the session has ended, and continues the interrupted action", async () => {
    const { username } = await service.manager("lena");
    await service.addDevice("LENA-1", "lena");
    const page = await openSignedIn(service, { username });
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByText("You have no devices.").waitFor();
    await page.getByRole("button", { name: "Claim a device…" }).click();
    await page.getByLabel("Serial number").fill("LENA-1");
    await page.getByLabel("Device name").fill("lena");
    await service.command("session", "revoke", username);
    expectComplaint(/status of 403/);
    await page.getByRole("button", { name: "Claim the device" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "lena" }).waitFor();
  });

  it("leaves an expired session if the user does not sign in again", async () => {
    const { username } = await service.manager("otto");
    const page = await openSignedIn(service, { username });
    await page.getByText("No sessions in this month").waitFor();
    await service.command("session", "revoke", username);
    expectComplaint(/status of 403/);
    await page.getByRole("link", { name: "Athletes", exact: true }).click();
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });

  it("follows changes in a different tab", async () => {
    const { username } = await service.manager("ines");
    const page = await openSignedIn(service, { username });
    const beside = await openBeside(page, `${service.address}#/athletes`);
    await beside.getByText("There are no athletes yet.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await beside.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await signIn(beside, username);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
  });

  it("closes the dialog in every tab when the user has signed in again in one of them", async () => {
    const { username } = await service.manager("uma");
    const page = await openSignedIn(service, { username });
    const beside = await openBeside(page, `${service.address}#/devices`);
    await beside.getByText("You have no devices.").waitFor();
    await service.command("session", "revoke", username);
    expectComplaint(/status of 403/);
    const dialogs = [page, beside].map((tab) => tab.getByRole("dialog", { name: "Sign in again" }));
    for (const tab of [page, beside]) {
      await tab.getByRole("link", { name: "Athletes", exact: true }).click();
    }
    for (const dialog of dialogs) await dialog.waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    for (const tab of [page, beside]) await tab.getByText("There are no athletes yet.").waitFor();
    for (const dialog of dialogs) expect(await dialog.count()).toBe(0);
  });

  it("shows a recording of the service only while the account is signed in", async () => {
    const { username } = await service.manager("iris");
    await service.addDevice("IRIS-1", "iris-1");
    const client = await service.clientOf(username);
    const owned = { serial_number: "IRIS-1", device_name: "iris-1" };
    const device = await unwrap(client.POST("/api/v1/devices/take-ownership/", { body: owned }));
    await service.command("ownership", "backdate", "IRIS-1", "--start", "2020-01-01T00:00:00Z");
    const rows = demoRows({ seed: 1, startMs: Date.UTC(2025, 4, 17, 14, 30), durationMs: 10_000 });
    const stream = encode(rows, { serial: "IRIS-1", deviceName: "iris-1", deviceType: "T1" });
    const { job_id } = await client.upload(device.id, await new Response(stream as BodyInit).blob());
    await client.waitForJob(job_id);

    const page = await openSignedIn(service, { username });
    await showView(page, `#/recordings/${device.id}`, "Recordings");
    await page.getByRole("button", { name: /^Open Sat, 17 May 2025/ }).click();
    await page.locator(".cards").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    expect(await page.locator(".cards").count()).toBe(0);
  });
});
