/** The report of a squad that the command writes, opened as a file. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));
const PLAYERS = 11;

useBrowser();

describe.skipIf(hasNoBrowser)("the report of a squad", () => {
  const folder = mkdtempSync(join(tmpdir(), "squad-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let file = "";
  beforeAll(() => {
    const asi = (...args: string[]) =>
      execFileSync(process.execPath, [ASI, ...args], { cwd: folder, stdio: "pipe" });
    asi("encode", "--demo", "--squad", String(PLAYERS), "-o", "match");
    try {
      asi("squad", "match", "-o", "match.html");
    } catch (error) {
      // one recording of the demonstration is damaged
      if ((error as { status: number }).status !== 3) throw error;
    }
    file = join(folder, "match.html");
  });
  const open = () => openPage({ at: pathToFileURL(file).href });

  it("is small, and sorts its table by the figure that is pressed: falling, rising, and by position again", async () => {
    expect(statSync(file).size / PLAYERS).toBeLessThan(60_000);
    const page = await open();
    const table = page.locator("table.squad").first();
    const cells = (column: number) =>
      table
        .locator("tr.player")
        .evaluateAll(
          (rows, at) => rows.map((row) => Number((row as HTMLTableRowElement).cells[at]?.dataset.value)),
          column,
        );
    const original = await table.locator("tbody th").allInnerTexts();
    const distance = table.getByRole("button", { name: "Distance" });
    await distance.click();
    const falling = await cells(2);
    expect(falling).toHaveLength(PLAYERS);
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    await distance.click();
    expect(await cells(2)).toEqual(falling.toReversed());
    await distance.click();
    expect(await table.locator("tbody th").allInnerTexts()).toEqual(original);
    expect(await violations(page)).toEqual([]);
  });

  it("leads from a name to the page of the player, and fits on a telephone", async () => {
    const page = await open();
    await page.getByRole("link", { name: "Kunz" }).first().click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#player-\d+$/);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  it("prints each player on a page of their own", async () => {
    const page = await open();
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    const pages = pdf.toString("latin1").match(/\/Type \/Page\b/g) ?? [];
    const front = await page.evaluate(
      (players) => document.querySelectorAll(".player-page").length - players,
      PLAYERS,
    );
    expect(front).toBe(0);
    // the squad, and its periods
    expect(pages.length - PLAYERS).toBeGreaterThanOrEqual(2);
    expect(pages.length - PLAYERS).toBeLessThanOrEqual(4);
  });
});
