import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

/** Returns the drawn canvases: the plots, their overview, and the map. */
const drawn = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLCanvasElement>(".plot canvas, .overview canvas, .map > canvas")].map(
      (canvas) => canvas.toDataURL(),
    ),
  );

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);

async function opened(colorScheme: "light" | "dark"): Promise<Page> {
  const page = await openPage({ colorScheme });
  await choose(page, fixturePath("valid/match-hr.asi"));
  await page.waitForFunction(() => performance.getEntriesByName("map-drawn").length > 0);
  return page;
}

describe.skipIf(hasNoBrowser)("the theme of the page", () => {
  useBrowser();

  it("follows the theme of the system immediately, including plots and map, until the user selects a theme", async () => {
    const dark = await opened("dark");
    const page = await opened("light");
    expect(await drawn(page)).not.toEqual(await drawn(dark));
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => themeOf(page)).toBe("dark");
    await expect.poll(async () => (await drawn(page)).join() === (await drawn(dark)).join()).toBe(true);
    // the rest of the test stores no choice
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => themeOf(page)).toBe("light");
    expect(await page.evaluate(() => localStorage.getItem("asi-theme"))).toBe(null);
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.emulateMedia({ colorScheme: "light" });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    expect(await themeOf(page)).toBe("light");
  });

  it("is light during printing, and afterwards as before", async () => {
    const page = await opened("dark");
    const plots = await drawn(page);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await themeOf(page)).toBe("light");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    expect(await themeOf(page)).toBe("dark");
    await expect.poll(async () => (await drawn(page)).join() === plots.join()).toBe(true);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => themeOf(page)).toBe("light");
  });
});
