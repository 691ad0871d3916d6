import { openAsBlob } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { unwrap } from "asi-client";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, NO_BROWSER } from "./find-browser.js";
import { fixturePath } from "./fixtures.js";
import { launchOptions } from "./launch.js";
import { servePage } from "./serve.js";
import { BuiltService, showView, signIn } from "./service.js";

// Pictures of every view and state of the viewer and, from a service of their own, of what needs an account, in both themes and three widths, to be looked at: npm run pictures -w asi-web

const FOLDER = fileURLToPath(new URL("../pictures", import.meta.url));
const WIDTHS = [360, 768, 1440];
const THEMES = ["light", "dark"] as const;

const demonstration = async (page: Page) => {
  await page.getByRole("button", { name: "Show a demonstration" }).click();
  await page.getByText("By speed").waitFor();
};
const VIEWS: Views = {
  empty: async () => {},
  recording: async (page) => {
    await demonstration(page);
    await page.getByRole("slider").press("ArrowRight");
  },
  part: async (page) => {
    await demonstration(page);
    await page.getByRole("button", { name: "Show the range" }).first().click();
    for (let i = 0; i < 3; i++) await page.getByRole("button", { name: "Zoom in on the plots" }).click();
  },
  heat: async (page) => {
    await demonstration(page);
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "Fitted" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Heat" }).click();
  },
  settings: async (page) => {
    await demonstration(page);
    await page.getByText("Settings", { exact: true }).click();
  },
  comparison: async (page) => {
    await page.getByRole("button", { name: "Compare three players" }).click();
    await page.locator(".comparison tbody tr").nth(2).waitFor();
    await page.getByRole("slider").press("ArrowRight");
  },
  "by-distance": async (page) => {
    await page.getByRole("button", { name: "Compare three players" }).click();
    await page.getByRole("button", { name: "Distance", exact: true }).click();
    await page.getByRole("slider").press("ArrowRight");
  },
  ecg: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("valid/match-ecg.asi"));
    await page.getByRole("button", { name: "ECG and beats" }).click();
    await page.getByRole("region", { name: "Beats" }).getByRole("button").nth(50).click();
    await page.getByText("Options", { exact: true }).click();
  },
  damaged: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("damaged/bad-checksums.asi"));
    await page.getByRole("region", { name: "Damaged places" }).waitFor();
  },
  refused: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("valid/match-hr.json"));
    await page.locator(".problem").waitFor();
  },
};

/** Waits until the map has not been drawn anew for a while. */
async function settled(page: Page): Promise<void> {
  for (let drawn = -1, now = 0; drawn !== now; ) {
    drawn = now;
    await page.waitForTimeout(600);
    now = await page.evaluate(() => performance.getEntriesByName("map-drawn").length);
  }
}

type Views = Record<string, (page: Page) => Promise<unknown>>;

async function take(browser: Browser, address: string, views: Views, only: string[]): Promise<void> {
  for (const [name, enter] of Object.entries(views)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const width of WIDTHS) {
      for (const colorScheme of THEMES) {
        const context = await browser.newContext({
          viewport: { width, height: 900 },
          colorScheme,
          locale: "en-GB",
          timezoneId: "Europe/Zurich",
        });
        const page = await context.newPage();
        await page.goto(address);
        await page.waitForSelector("main");
        await enter(page);
        await settled(page);
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: `${FOLDER}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        await context.close();
      }
    }
  }
}

const service = new BuiltService();

/** Enters a view as a user of the service. */
const as = (username: string, hash: string, heading: string | RegExp) => async (page: Page) => {
  await page.goto(`${service.address}#/sign-in`);
  await signIn(page, username);
  await showView(page, hash, heading);
  await page.waitForLoadState("networkidle");
};

/** Without waiting for a network that is idle: live data never is. */
async function recordingsOfMara(page: Page): Promise<void> {
  await page.goto(`${service.address}#/sign-in`);
  await signIn(page, "mara");
  await showView(page, "#/recordings/1", "Recordings");
  await page
    .getByRole("button", { name: /^Open / })
    .first()
    .waitFor();
}

const ACCOUNT_VIEWS: Views = {
  "viewer-of-a-service": async () => {},
  "sign-in": (page) => page.getByRole("link", { name: "Sign in" }).click(),
  register: async (page) => {
    await page.goto(`${service.address}#/register`);
    await page.getByLabel("User name").fill("mara");
    await page.getByLabel("E-mail").fill("mara@example.org");
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
    await page.getByRole("button", { name: "Take a device…" }).click();
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
    const files = ["valid/match-hr.asi", "damaged/bad-checksums.asi", "valid/match-hr.json"].map(fixturePath);
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
    await service.command("token", "revoke", "nina");
    await page.getByRole("link", { name: "Athletes" }).click();
    await page.getByRole("dialog").waitFor();
  },
  away: async (page) => {
    await as("nina", "#/devices", "Devices")(page);
    await page.route("**/api/**", (route) => route.abort());
    await page.getByRole("link", { name: "Athletes" }).click();
    await page.getByText("Trying again").waitFor();
  },
};

/** People and devices for the pictures. */
async function populate(service: BuiltService): Promise<void> {
  const mara = await service.manager("mara");
  await service.manager("nina");
  await service.command("manager", "grant", "mara");
  const olga = await service.athlete("olga", { first_name: "Olga", last_name: "Orr", gender: "F" });
  const asMara = await service.clientOf("mara");
  for (const [n, serial_number] of ["AS-10017", "AS-10018", "AS-10019", "AS-10020"].entries()) {
    const device = { serial_number, device_name: `tracker-${n + 1}` };
    await service.addDevice(device.serial_number, device.device_name);
    await unwrap(asMara.POST("/api/v1/devices/take-ownership/", { body: device }));
  }
  await service.command("ownership", "backdate", "AS-10017", "--start", "2020-01-01T00:00:00Z");
  const params = { path: { device: 1 } };
  const custom_name = "Left wing";
  await unwrap(asMara.PUT("/api/v1/devices/{device}/set-custom-name/", { params, body: { custom_name } }));
  await unwrap(
    asMara.PATCH("/api/v1/devices/{device}/bluetooth-config/", {
      params,
      body: { pairing_1: { mac_address: "A0:9E:1A:00:00:01", name: "Chest strap" } },
    }),
  );
  await unwrap(
    asMara.POST("/api/v1/devices/{device}/release-ownership/", { params: { path: { device: 4 } } }),
  );
  const { job_id } = await asMara.upload(1, await openAsBlob(fixturePath("valid/match-hr.asi")));
  await asMara.waitForJob(job_id);
  for (const [first_name, last_name] of [
    ["Ida", "Lund"],
    ["Maximiliane-Theodora", "von und zu Wolkenstein-Trostburg"],
    ["<img src=x onerror=alert(1)>", ""],
  ] as const) {
    const athlete_profile = {
      first_name,
      last_name,
      gender: "F" as const,
      birth_date: "2001-02-03",
      weight: 61.5,
    };
    await unwrap(
      asMara.POST("/api/v1/athletes/create-managed/", { body: { managed_by: mara.id, athlete_profile } }),
    );
  }
  const asOlga = await service.clientOf("olga");
  const years = ["2024", "2025", "2026", "2027"];
  for (const [i, permission] of (["READ", "WRITE", "SHARE"] as const).entries()) {
    const start_time = `${years[i]}-03-01T00:00:00Z`;
    const expiration_time = `${years[i + 1]}-03-01T00:00:00Z`;
    await unwrap(
      asOlga.POST("/api/v1/athletes/{athlete}/managers/{manager}/permissions/", {
        params: { path: { athlete: olga.id, manager: mara.id } },
        body: { start_time, expiration_time, permission },
      }),
    );
  }
}

const found = findBrowser();
if (found === null) throw new Error(NO_BROWSER);
const only = process.argv.slice(2);
if (only.length === 0) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const served = await servePage();
const browser = await chromium.launch(launchOptions(found));
try {
  await take(browser, served.address, VIEWS, only);
  if (only.length === 0 || only.some((name) => name in ACCOUNT_VIEWS)) {
    await service.start();
    await populate(service);
    await take(browser, service.address, ACCOUNT_VIEWS, only);
  }
} finally {
  await browser.close();
  await served.close();
  await service.stop();
}
