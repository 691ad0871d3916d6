import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, NO_BROWSER } from "./find-browser.js";
import { fixturePath } from "./fixtures.js";
import { steadyLaunchOptions } from "./launch.js";
import { populate } from "./picture-scene.js";
import { accountViews, type Views } from "./picture-views.js";
import { servePage } from "./serve.js";
import { BuiltService } from "./service.js";

// Takes pictures of every view and state in both themes and three widths, for manual inspection. Run it with: npm run pictures -w asi-web

const FOLDER = fileURLToPath(new URL("../pictures", import.meta.url));
const WIDEST = 1440;
const WIDTHS = [WIDEST, 768, 360];
const THEMES = ["light", "dark"] as const;

const demonstration = async (page: Page) => {
  await page.getByRole("button", { name: "Show a demonstration" }).click();
  await page.getByText("By speed", { exact: true }).waitFor();
};
/** Moves the cursor of the plots to a place with data. */
async function cursorIn(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  const cursor = page.getByRole("slider", { name: "Cursor over the plots" });
  for (const key of ["Home", "PageDown"]) await cursor.press(key);
}

const VIEWS: Views = {
  empty: async () => {},
  recording: async (page) => {
    await demonstration(page);
    await cursorIn(page);
  },
  part: async (page) => {
    await demonstration(page);
    await page.getByRole("button", { name: "Show the range" }).first().click();
    for (let i = 0; i < 3; i++) await page.getByRole("button", { name: "Zoom in on the plots" }).click();
  },
  peaks: async (page) => {
    await demonstration(page);
    await page.getByText("Peak demands", { exact: true }).click();
    await page.getByRole("button", { name: /^Show the 1:00 min/ }).click();
  },
  recipes: async (page) => {
    await demonstration(page);
    await page.getByText("Counts by another definition", { exact: true }).click();
    await page.getByLabel("Definition").selectOption("statsports/sprint");
    await page.getByText("as worded by STATSports").waitFor();
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
    await cursorIn(page);
  },
  "by-distance": async (page) => {
    await page.getByRole("button", { name: "Compare three players" }).click();
    await page.getByRole("button", { name: "Distance", exact: true }).click();
    await cursorIn(page);
  },
  ecg: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("valid/match-ecg.asi"));
    await page.getByRole("button", { name: "ECG and beats" }).click();
    await page.getByLabel("The athlete was at rest").check();
    await page.getByText("LF, HF, LF/HF").waitFor();
  },
  damaged: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("damaged/bad-checksums.asi"));
    await page.getByRole("region", { name: "Damaged places" }).waitFor();
  },
  table: async (page) => {
    await demonstration(page);
    await page.getByText("The plots as a table").click();
    await page.getByRole("region", { name: "Values of the plots" }).waitFor();
  },
  downloads: async (page) => {
    await demonstration(page);
    await page.getByText("Options", { exact: true }).click();
  },
  refused: async (page) => {
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("valid/match-hr.json"));
    await page.locator(".problem").waitFor();
  },
};

/** Waits until the map is not redrawn for a while. */
async function settled(page: Page): Promise<void> {
  for (let drawn = -1, now = 0; drawn !== now; ) {
    drawn = now;
    await page.waitForTimeout(600);
    now = await page.evaluate(() => performance.getEntriesByName("map-drawn").length);
  }
}

/** Runs in the page, even if dialogs are open. */
function useTheme(theme: string): void {
  document.querySelector<HTMLElement>(`[aria-label="Use the ${theme} theme"]`)?.click();
}

async function take(browser: Browser, address: string, views: Views, only: string[]): Promise<void> {
  for (const [name, enter] of Object.entries(views)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const context = await browser.newContext({
      viewport: { width: WIDEST, height: 900 },
      locale: "en-GB",
      timezoneId: "Europe/Zurich",
    });
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForSelector("main");
    try {
      await enter(page);
    } catch (error) {
      // the text of the page contains the reason
      console.error(`${name}: ${error}`);
      process.exitCode = 1;
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of THEMES) {
        await page.evaluate(useTheme, colorScheme);
        await settled(page);
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: `${FOLDER}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
    await context.close();
  }
}

const found = findBrowser();
if (found === null) throw new Error(NO_BROWSER);
const only = process.argv.slice(2);
if (only.length === 0) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const served = await servePage();
const browser = await chromium.launch(steadyLaunchOptions(found));
const service = new BuiltService({ WEBHOOK_ALLOW_PRIVATE: "true" });
try {
  await take(browser, served.address, VIEWS, only);
  if (only.length === 0 || only.some((name) => !(name in VIEWS))) {
    await service.start();
    const views = accountViews(service, await populate(service));
    await take(browser, service.address, views, only);
  }
} finally {
  await browser.close();
  await served.close();
  await service.stop();
}
