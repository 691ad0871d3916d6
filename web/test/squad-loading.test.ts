import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { type SquadScene, squadScene } from "./squad-scene.js";

const chooseAll = (page: Page, files: string[]) => page.setInputFiles("input[type=file] >> nth=0", files);
const ready = (page: Page) => page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();

/** Returns whether the page has requested a script. */
const hasAskedFor = (page: Page, script: string) =>
  page.evaluate(
    (wanted) =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes(`/assets/${wanted}-`)),
    script,
  );

/** Keeps the page reading at the second recording until the returned function is called. */
async function holdReading(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const send = Worker.prototype.postMessage;
    const held: (() => void)[] = [];
    let reads = 0;
    Worker.prototype.postMessage = function (this: Worker, ...message: unknown[]) {
      const now = () => Reflect.apply(send, this, message);
      if ((message[0] as { name?: string }).name === "read" && ++reads > 1) held.push(now);
      else now();
    };
    Object.assign(window, {
      goOn: () => {
        reads = Number.NEGATIVE_INFINITY;
        for (const now of held) now();
      },
    });
  });
  return () => page.evaluate(() => (window as unknown as { goOn: () => void }).goOn());
}

describe.skipIf(hasNoBrowser)("the squad view", () => {
  useBrowser();
  let scene: SquadScene;
  beforeAll(async () => {
    scene = await squadScene();
  });
  afterAll(() => scene.remove());

  it("opens menus while files are read, and loads the other parts after the table", async () => {
    const page = await openPage();
    const goOn = await holdReading(page);
    await chooseAll(page, scene.files);
    await page.locator(".squad-table tbody tr").first().waitFor();
    await page.getByText("Export", { exact: true }).click();
    await page.getByRole("button", { name: "CSV", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Columns…", { exact: true }).click();
    await page.getByRole("checkbox", { name: "Sprints" }).waitFor();
    expect(await hasAskedFor(page, "look-at-part")).toBe(false);
    expect(await hasAskedFor(page, "play-part")).toBe(false);
    await goOn();
    await ready(page);
    await page.getByRole("button", { name: /to check$/ }).waitFor();
    expect(await hasAskedFor(page, "look-at-part")).toBe(true);
    // the script arrives separately, and the browser lists it when it has arrived
    await expect.poll(() => hasAskedFor(page, "play-part")).toBe(true);
  });

  it("reports that the page is outdated if a newer version has replaced the code that reads the roster", async () => {
    const page = await openPage({
      expected: [/status of 404|Failed to load/],
      prepare: async (context) => {
        await context.route(/squad-sheets-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
      },
    });
    await chooseAll(page, scene.files);
    await ready(page);
    const problem = page.getByRole("alert").filter({ hasText: "A part of the page could not be loaded." });
    await problem.waitFor();
    await problem.getByRole("button", { name: "Load the page again" }).waitFor();
    // the recordings are shown, and the roster is not a recording
    const players = await page.locator(".squad-table tbody .player").allInnerTexts();
    expect(players.filter((name) => /roster|periods/.test(name))).toEqual([]);
    expect(players.length).toBeGreaterThan(3);
  });
});
