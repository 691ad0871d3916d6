import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, NO_BROWSER } from "./find-browser.js";
import { fixturePath } from "./fixtures.js";
import { launchOptions } from "./launch.js";
import { servePage } from "./serve.js";

// Pictures of every view and state in both themes and three widths, to be looked at: npm run pictures -w asi-web

const FOLDER = fileURLToPath(new URL("../pictures", import.meta.url));
const WIDTHS = [360, 768, 1440];
const THEMES = ["light", "dark"] as const;

const demonstration = async (page: Page) => {
  await page.getByRole("button", { name: "Show a demonstration" }).click();
  await page.getByText("By speed").waitFor();
};
const VIEWS: Record<string, (page: Page) => Promise<unknown>> = {
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

async function take(browser: Browser, address: string, only: string[]): Promise<void> {
  for (const [name, enter] of Object.entries(VIEWS)) {
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
        await page.screenshot({ path: `${FOLDER}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        await context.close();
      }
    }
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
  await take(browser, served.address, only);
} finally {
  await browser.close();
  await served.close();
}
