import type { Page } from "playwright-core";
import { fixturePath } from "./fixtures.js";
import type { PictureScene } from "./picture-scene.js";
import { type BuiltService, showView, signIn } from "./service.js";

/** Actions in the page of the service before a picture is taken, by name of the picture. */
export type Views = Record<string, (page: Page) => Promise<unknown>>;

/** Views and states that require an account. */
export function accountViews(service: BuiltService, scene: PictureScene): Views {
  const { match, empty } = scene.activities;
  /** Opens a view as a user of the service. */
  const as = (username: string, hash: string, heading: string | RegExp) => async (page: Page) => {
    await page.goto(`${service.address}#/sign-in`);
    await signIn(page, username);
    await showView(page, hash, heading);
    await page.waitForLoadState("networkidle");
  };

  /** Does not wait for an idle network, because live data prevent it. */
  async function recordingsOfMara(page: Page): Promise<void> {
    await page.goto(`${service.address}#/sign-in`);
    await signIn(page, "mara");
    await showView(page, "#/recordings/1", "Recordings");
    await page
      .getByRole("button", { name: /^Open / })
      .first()
      .waitFor();
  }

  /** Opens a dialog of a view. */
  const withDialog =
    (
      enter: (page: Page) => Promise<unknown>,
      button: string | RegExp,
      fill?: (page: Page) => Promise<unknown>,
    ) =>
    async (page: Page) => {
      await enter(page);
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").waitFor();
      await fill?.(page);
    };
  const asTess = (hash: string, heading: string | RegExp, ready: string) => async (page: Page) => {
    await as("tess", hash, heading)(page);
    await page.getByText(ready).first().waitFor();
  };
  const matchPage = asTess(`#/activities/${match}`, /Sunday/, "Look for newer data");
  const webhookPage = asTess(`#/webhooks/${match}/${scene.webhook}`, "Webhook", "HTTP 204");

  return {
    "viewer-of-a-service": async () => {},
    "sign-in": (page) => page.getByRole("link", { name: "Sign in" }).click(),
    register: async (page) => {
      await page.goto(`${service.address}#/register`);
      await page.getByLabel("Username").fill("mara");
      await page.getByLabel("Email").fill("mara@example.org");
      await page.getByLabel("Password").fill("password");
      await page.getByRole("button", { name: "Register" }).click();
      await page.locator("[aria-invalid]").waitFor();
    },
    "forgotten-password": async (page) => {
      await page.goto(`${service.address}#/forgotten-password`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    "devices-none": as("nina", "#/devices", "Devices"),
    devices: as("mara", "#/devices", "Devices"),
    "devices-taking": async (page) => {
      await as("mara", "#/devices", "Devices")(page);
      await page.getByRole("button", { name: "Claim a device…" }).click();
    },
    device: as("mara", "#/devices/1", /./),
    "device-releasing": async (page) => {
      await as("mara", "#/devices/1", /./)(page);
      await page.getByRole("button", { name: "Release the device…" }).click();
    },
    "recordings-none": as("nina", "#/recordings", "Recordings"),
    recordings: async (page) => {
      await recordingsOfMara(page);
      await page
        .getByRole("checkbox", { name: /for comparison$/ })
        .first()
        .check();
    },
    "recordings-loaded": async (page) => {
      await recordingsOfMara(page);
      const files = ["valid/match-hr.asi", "damaged/bad-checksums.asi", "valid/match-hr.json"].map(
        fixturePath,
      );
      await page.setInputFiles("[data-upload]", files);
      await page.getByText("Not stored.").nth(1).or(page.getByText("could not be read")).waitFor();
      await page.locator(".is-waiting, .is-sending, .is-storing").first().waitFor({ state: "detached" });
    },
    range: async (page) => {
      await recordingsOfMara(page);
      await page
        .getByRole("button", { name: /^Open / })
        .first()
        .click();
      await page.locator(".cards").waitFor();
    },
    "athletes-none": as("nina", "#/athletes", "Athletes"),
    athletes: as("mara", "#/athletes", "Athletes"),
    athlete: async (page) => {
      await as("mara", "#/athletes", "Athletes")(page);
      await page.locator("tbody a").first().click();
      await page.getByText("All athletes").waitFor();
    },
    account: as("mara", "#/account", /./),
    permissions: as("olga", "#/permissions", "Permissions"),
    "session-ended": async (page) => {
      await as("nina", "#/devices", "Devices")(page);
      await service.command("session", "revoke", "nina");
      await page.getByRole("link", { name: "Athletes" }).click();
      await page.getByRole("dialog").waitFor();
    },
    away: async (page) => {
      await as("nina", "#/devices", "Devices")(page);
      await page.route("**/api/**", (route) => route.abort());
      await page.getByRole("link", { name: "Athletes" }).click();
      await page.getByText("Trying again").waitFor();
    },
    "sign-in-refused": async (page) => {
      await page.goto(`${service.address}#/sign-in`);
      await page.getByLabel("Username").fill("mara");
      await page.getByLabel("Password").fill("not the password");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.locator(".bad").waitFor();
    },
    "new-password": async (page) => {
      await page.goto(`${service.address}#/new-password?token=x`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    nowhere: as("mara", "#/nowhere", "There is nothing here"),
    "devices-not-found": async (page) => {
      await as("mara", "#/devices", "Devices")(page);
      await page.getByRole("searchbox").fill("no such device");
      await page.getByText("None of the devices has").waitFor();
    },
    "devices-refused": withDialog(as("mara", "#/devices", "Devices"), "Claim a device…", async (page) => {
      await page.getByLabel("Serial number").fill("AS-99999");
      await page.getByLabel("Device name").fill("tracker-9");
      await page.getByRole("button", { name: "Claim the device" }).click();
      await page.locator("dialog .bad").first().waitFor();
    }),
    "athletes-adding": withDialog(as("mara", "#/athletes", "Athletes"), "Add an athlete…"),
    "athlete-erasing": withDialog(async (page) => {
      await as("mara", "#/athletes", "Athletes")(page);
      await page.locator("tbody a").first().click();
      await page.getByText("All athletes").waitFor();
    }, "Erase all data…"),
    "permissions-none": as("pia", "#/permissions", "Permissions"),
    "permissions-taking-back": withDialog(as("olga", "#/permissions", "Permissions"), /^Take back/),
    "account-of-athlete": as("pia", "#/account", /./),
    "activities-none": as("nina", "#/activities", "Activities"),
    activities: asTess("#/activities", "Activities", "Training"),
    "activities-new": withDialog(asTess("#/activities", "Activities", "Training"), "New activity…"),
    activity: matchPage,
    "activity-empty": asTess(`#/activities/${empty}`, /Training/, "No time frames yet"),
    "activity-deleting": withDialog(matchPage, "Delete…"),
    "time-frame-new": asTess(`#/activities/${empty}/new`, "New time frame", "Drag over a plot"),
    "time-frame-incomplete": async (page) => {
      await asTess(`#/activities/${empty}/new`, "New time frame", "Drag over a plot")(page);
      await page.getByLabel("Athlete").selectOption({ index: 1 });
      await page.getByLabel("Start", { exact: true }).fill("2025-05-17T14:10:00");
      await page.getByLabel("End", { exact: true }).fill("2025-05-17T14:00:00");
      await page.getByRole("button", { name: "Save time frame" }).click();
      await page.locator("form .bad").first().waitFor();
    },
    "time-frame": asTess(`#/activities/${match}/${scene.timeframe}`, /First half/, "Distance by speed"),
    "time-frame-moved": async (page) => {
      await asTess(`#/activities/${match}/${scene.timeframe}`, /First half/, "Distance by speed")(page);
      await page.getByRole("slider", { name: "End of the time frame" }).press("PageDown");
      await page.getByText("figures of the saved time").waitFor();
    },
    "webhooks-none": as("nina", "#/webhooks", "Webhooks"),
    webhooks: asTess("#/webhooks", "Webhooks", "Training"),
    "webhooks-of-none": asTess(`#/webhooks/${empty}`, /Webhooks of/, "No webhooks yet"),
    "webhooks-of": asTess(`#/webhooks/${match}`, /Webhooks of/, "127.0.0.1"),
    "webhook-new": withDialog(asTess(`#/webhooks/${match}`, /Webhooks of/, "127.0.0.1"), "New webhook…"),
    webhook: webhookPage,
    "webhook-editing": withDialog(webhookPage, "Edit…"),
    slow: async (page) => {
      await as("nina", "#/devices", "Devices")(page);
      await page.route("**/api/v1/athletes/**", () => {});
      await page.getByRole("link", { name: "Athletes" }).click();
      await page.getByText("Loading the athletes…").waitFor();
    },
    "service-broken": async (page) => {
      await as("nina", "#/devices", "Devices")(page);
      const headers = { "X-Request-Id": "a", "Content-Type": "application/json" };
      await page.route("**/api/v1/athletes/**", (route) =>
        route.fulfill({ status: 500, headers, body: '{"detail":"Something failed. It was logged."}' }),
      );
      await page.getByRole("link", { name: "Athletes" }).click();
      await page.getByText("Could not load the athletes.").waitFor();
    },
  };
}
