import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { teamScene } from "./activity-scene.js";
import { KICK_OFF_MS, LONG_MS, limitUpload, load, match, openDevice, uploads } from "./device-scene.js";
import { Gate } from "./gate.js";
import { held } from "./held.js";
import { expectComplaint, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { showView, signIn, TestService } from "./service.js";
import { service as shared } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

let gate: Gate;
/** The service as the page reaches it, through the gate. */
let service: TestService;

/** Returns a promise and a function that fulfils it. */
function signalled() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return { told, tell };
}

const KEPT = { serviceWorkers: "allow" } as const;

/** Waits until the browser has stored the page. The page must be opened with `KEPT`. */
async function keepsPage(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

const isAway = (page: Page) => page.getByText("The service does not respond. Trying again…");

describe.skipIf(hasNoBrowser)(
  "the signed-in part of the page, while the service is unreachable or slow",
  () => {
    useBrowser();
    beforeAll(async () => {
      gate = new Gate(shared.address);
      await gate.open();
      service = new TestService({ address: gate.address, dataDir: shared.dataDir });
      await service.manager("ava");
      await service.athlete("bea");
    });
    // applies even after a test that failed while the gate was shut
    afterEach(() => gate.open());
    afterAll(() => gate?.shut());

    it("shows every view, including those that were never opened before", async () => {
      const manager = await openSignedIn(service, { username: "ava" }, KEPT);
      const athlete = await openSignedIn(service, { username: "bea" }, KEPT);
      await keepsPage(manager);
      await keepsPage(athlete);
      expectComplaint(/ERR_CONNECTION|ERR_EMPTY_RESPONSE/);
      await gate.shut();
      for (const [hash, heading] of [
        ["#/recordings", "Recordings"],
        ["#/athletes", "Athletes"],
        ["#/activities", "Activities"],
        ["#/webhooks", "Webhooks"],
        ["#/account", "ava"],
        ["#/devices", "Devices"],
      ] as const) {
        await showView(manager, hash, heading);
      }
      await showView(manager, "#/activities", "Activities");
      await manager.evaluate(() => {
        location.hash = "#/activities/1/new";
      });
      await manager.getByText("Could not load the time frame.").waitFor();
      await showView(athlete, "#/account", "bea");
      await showView(athlete, "#/permissions", "Permissions");
      expect(await manager.getByText("could not be loaded. Load the page").count()).toBe(0);
      await gate.open();
      await showView(manager, "#/devices", "Devices");
      await manager.getByText("You have no devices.").waitFor();
      await athlete.getByText("Nobody may see your data.").waitFor();
    });

    it("reports that a view could not be loaded, and shows it later, if the browser has no cache", async () => {
      const page = await openSignedIn(service, { username: "ava" });
      await page.getByText("No sessions in this month").waitFor();
      expectComplaint(/ERR_CONNECTION|ERR_EMPTY_RESPONSE/);
      await gate.shut();
      await page.getByRole("link", { name: "Athletes", exact: true }).click();
      await page.getByText("Could not load this part of the page.").waitFor();
      await isAway(page).waitFor();
      await gate.open();
      // the browser does not fetch a script again after a failed attempt
      await page.getByRole("button", { name: "Load the page again" }).click();
      await page.getByText("There are no athletes yet.").waitFor();
    });

    it("loads the data of a device and the figures as soon as the service is back", async () => {
      const team = await teamScene(service, "clea");
      const activity = await team.activity("Match");
      const frame = await team.frame(activity.id, 0, 0, 5);
      const page = await openSignedIn(service, team);
      expectComplaint(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET/);
      // the service stops as soon as its samples are requested
      let killed: Promise<void> | null = null;
      const isGone = signalled();
      await page.route("**/preprocessed-data/?*", async (route) => {
        killed ??= gate.shut().then(isGone.tell);
        await killed;
        await route.continue();
      });
      await page.route("**/computed-data/**", async (route) => {
        await isGone.told;
        await route.continue();
      });
      await showView(page, `#/activities/${activity.id}/${frame.id}`, /Time frame/);
      await page.getByText("Could not load the data of the device.").waitFor();
      await page.getByText("The figures could not be computed.").waitFor();
      await gate.open();
      await page.getByRole("slider", { name: "Cursor over the plots" }).waitFor();
      await page.getByText(/^Computed at/).waitFor();
      expect(await page.getByText("Could not").count()).toBe(0);
    });

    it("says that the service does not respond, and continues automatically when it is back", async () => {
      const { username } = await service.manager("nora");
      const page = await openSignedIn(service, { username }, KEPT);
      await page.getByText("No sessions in this month").waitFor();
      await keepsPage(page);
      await gate.shut();
      expectComplaint(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
      await page.getByRole("link", { name: "Athletes", exact: true }).click();
      await page.getByText("The service does not respond. Trying again…").waitFor();
      await page.getByText("Could not load the athletes.").waitFor();
      await gate.open();
      await page.getByText("There are no athletes yet.").waitFor();
      expect(await page.getByText("does not respond").count()).toBe(0);
    });

    it("names the pending work while the service is slow, and remains usable", async () => {
      const { username } = await service.manager("lilo");
      const page = await openPage({ at: service.address });
      const shell = await held(page, "**/assets/app-shell*");
      await page.getByRole("link", { name: "Sign in" }).click();
      await page.getByText("Loading…").waitFor();
      await shell.release();
      await signIn(page, username);
      const athletes = await held(page, "**/api/v1/athletes/**");
      const creation = await held(page, "**/api/v1/activities/", "POST");
      await page.getByRole("link", { name: "Athletes", exact: true }).click();
      await page.getByText("Loading the athletes…").waitFor();
      // a user who does not want to wait can continue
      await page.getByRole("link", { name: "Activities", exact: true }).click();
      await page.getByRole("button", { name: "New activity…" }).click();
      await page.getByLabel("Name").fill("Derby");
      await page.getByRole("button", { name: "Create activity" }).click();
      await page.getByText("One moment…").waitFor();
      await creation.release();
      await athletes.release();
      await page.getByRole("heading", { level: 1, name: "Derby" }).waitFor();
    });

    it("stays signed out if a response about the account arrives late", async () => {
      const { username } = await service.manager("olga");
      const page = await openSignedIn(service, { username });
      await showView(page, "#/account", username);
      const isAnswered = signalled();
      const isSignedOut = signalled();
      await page.route("**/api/v1/account/", async (route) => {
        const response = await route.fetch();
        isAnswered.tell();
        await isSignedOut.told;
        await route.fulfill({ response });
      });
      const late = page.waitForResponse("**/api/v1/account/");
      await page.getByLabel("First name").fill("Olga");
      await page.getByRole("button", { name: "Save the profile" }).click();
      await isAnswered.told;
      await page.getByRole("button", { name: "Sign out" }).click();
      // the form is not saved while its request is pending
      await page.getByRole("button", { name: "Leave without saving" }).click();
      await page.getByText("You are signed out.").waitFor();
      isSignedOut.tell();
      await (await late).finished();
      // the page has read the response
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
      expect(await page.getByRole("navigation", { name: "Views" }).count()).toBe(0);
      expect(await page.getByRole("link", { name: "Sign in" }).count()).toBe(1);
    });

    it("preserves uploads if the service stops in the middle, and sends them again when it is back", async () => {
      expectComplaint(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_SOCKET/);
      const { page, serial } = await openDevice(service, await service.manager("uri"));
      await limitUpload(page, 100_000);
      await load(page, await match(serial, KICK_OFF_MS, LONG_MS));
      await uploads(page)
        .getByText(/^Sent /)
        .waitFor();
      await gate.shut();
      await uploads(page)
        .getByText(/The service stopped responding/)
        .waitFor();
      await page.getByText("The service does not respond. Trying again…").waitFor();
      await limitUpload(page, -1);
      await gate.open();
      await page.getByText("The service does not respond. Trying again…").waitFor({ state: "hidden" });
      await uploads(page).getByRole("button", { name: "Try again with match.asi" }).click();
      await uploads(page)
        .getByText(/samples stored from/)
        .waitFor();
    });
  },
);
