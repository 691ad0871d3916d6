/** Tests that a squad of files, which the browser stores, belongs to the account with which it was opened. */
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { expectComplaint, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { signIn } from "./service.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";
import { chooseAll, ready, withMatch } from "./squad-page.js";

const it = withMatch();

/** Returns the names of the stored squads. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const names: string[] = [];
    const root = await navigator.storage.getDirectory();
    for await (const name of (await root.getDirectoryHandle("squad")).keys()) names.push(name);
    return names;
  });

const keptNote = (page: Page) => page.getByText("6 recordings are kept in this browser.");
const start = (page: Page) => page.getByRole("heading", { name: "See a session" }).waitFor();
const viewer = (page: Page) => page.getByRole("link", { name: "Viewer", exact: true });
const signOut = (page: Page) => page.getByRole("button", { name: "Sign out" }).click();

async function openFiles(page: Page, files: string[]): Promise<void> {
  await chooseAll(page, files);
  await ready(page);
  await page.getByText(/^Kept in this browser until you close the session/).waitFor();
}

/** Reloads the page after the session has expired. */
async function expire(page: Page, username: string): Promise<void> {
  await service.command("session", "revoke", username);
  await page.reload();
  await page.getByRole("link", { name: "Sign in", exact: true }).waitFor();
  await start(page);
}

describe.skipIf(hasNoBrowser)("a squad of files", () => {
  useBrowser();

  it("is closed and removed when its account signs out", async ({ scene }) => {
    const { username } = await service.manager("kim");
    const page = await openSignedIn(service, { username });
    await viewer(page).click();
    await openFiles(page, scene.files);
    await signOut(page);
    await start(page);
    await expect.poll(() => stored(page)).toEqual([]);

    // the squad is stored, but not open
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await signIn(page, username);
    await viewer(page).click();
    await openFiles(page, scene.files);
    await page.reload();
    await keptNote(page).waitFor();
    await signOut(page);
    await keptNote(page).waitFor({ state: "detached" });
    await expect.poll(() => stored(page)).toEqual([]);
  });

  it("is closed and removed when its account signs out while it is opened again", async ({ scene }) => {
    const { username } = await service.manager("kurt");
    const page = await openSignedIn(service, { username });
    await viewer(page).click();
    await openFiles(page, scene.files);
    await page.reload();
    await keptNote(page).waitFor();
    await page.evaluate(() => {
      const { getFile } = FileSystemFileHandle.prototype;
      const waiting = new Promise<void>((resolve) => Object.assign(window, { goOn: resolve }));
      FileSystemFileHandle.prototype.getFile = async function () {
        if (this.name !== "session.json") {
          document.body.dataset.reading = "";
          await waiting;
        }
        return getFile.call(this);
      };
    });
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.locator("[data-reading]").waitFor();
    await signOut(page);
    await keptNote(page).waitFor({ state: "detached" });
    await page.evaluate(() => (window as unknown as { goOn: () => void }).goOn());
    await expect.poll(() => stored(page)).toEqual([]);
    await start(page);
    expect(await page.locator(".squad").count()).toBe(0);
  });

  it("stays when a user signs out who was not signed in when it was opened", async ({ scene }) => {
    const { username } = await service.manager("kaya");
    const page = await openPage({ at: service.address });
    await openFiles(page, scene.files);
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await signIn(page, username);
    await page.getByText("No sessions in this month").waitFor();
    await signOut(page);
    await ready(page);
    expect(await stored(page)).toHaveLength(1);
    await page.reload();
    await keptNote(page).waitFor();
  });

  it("is hidden after the session of its account has expired, and removed when another account signs in", async ({
    scene,
  }) => {
    const { username } = await service.manager("kai");
    const other = await service.manager("kora");
    const page = await openSignedIn(service, { username });
    expectComplaint(/status of 403/);
    await viewer(page).click();
    await openFiles(page, scene.files);
    await expire(page, username);
    expect(await keptNote(page).count()).toBe(0);
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await signIn(page, username);
    await viewer(page).click();
    await keptNote(page).waitFor();
    // the user leaves the expired session
    await service.command("session", "revoke", username);
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await stored(page)).toHaveLength(1);
    await signIn(page, other.username);
    await viewer(page).click();
    await start(page);
    expect(await keptNote(page).count()).toBe(0);
    await expect.poll(() => stored(page)).toEqual([]);
  });
});
