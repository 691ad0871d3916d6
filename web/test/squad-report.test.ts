/** Tests of a squad report from the command, opened as a file. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SQUAD_COLUMNS, seasonOf } from "../../src/squad/index.js";
import { seasonReport } from "../../src/squad-report/season-report.js";
import { violations } from "./accessibility.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));
const PLAYERS = 11;

useBrowser();

describe.skipIf(hasNoBrowser)("the report of a squad", () => {
  const folder = mkdtempSync(join(tmpdir(), "squad-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let file = "";
  const asi = (...args: string[]) => {
    try {
      execFileSync(process.execPath, [ASI, ...args], { cwd: folder, stdio: "pipe" });
    } catch (error) {
      // one recording of the demonstration is damaged
      if ((error as { status: number }).status !== 3) throw error;
    }
  };
  beforeAll(() => {
    asi("encode", "--demo", "--squad", String(PLAYERS), "-o", "match");
    asi("squad", "match", "-o", "match.html");
    file = join(folder, "match.html");
  });
  const open = () => openPage({ at: pathToFileURL(file).href });

  it("is small, and sorts its table by the clicked figure in both directions, and by position again", async () => {
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

  it("shows the complete labels of its six figures", async () => {
    const page = await open();
    const beyond = await page.locator(".dots svg").evaluateAll((pictures) =>
      pictures.flatMap((picture) => {
        const { left, right } = picture.getBoundingClientRect();
        return [...picture.querySelectorAll("text")]
          .map((text) => text.getBoundingClientRect())
          .map((box) => Math.max(left - box.left, box.right - right));
      }),
    );
    expect(beyond.length).toBeGreaterThan(6 * PLAYERS);
    expect(Math.max(...beyond)).toBeLessThan(1);
  });

  it("has no units in larger letters than the figures, on the screen and on paper", async () => {
    const page = await open();
    const larger = () =>
      page.locator("small").evaluateAll((all) =>
        all.flatMap((small) => {
          const size = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize);
          const own = size(small);
          const around = small.parentElement === null ? own : size(small.parentElement);
          return own < around ? [] : [`${small.textContent}: ${own} in ${around}`];
        }),
      );
    expect(await larger()).toEqual([]);
    await page.emulateMedia({ media: "print" });
    expect(await larger()).toEqual([]);
  });

  it("links from a name to the page of the player, and fits on a phone", async () => {
    const page = await open();
    await page.getByRole("link", { name: "Kunz" }).first().click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#player-\d+$/);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  it("prints two pages of the squad and one for each player, with every name and distance", async () => {
    // a page lists at most this number of sprints
    asi("squad", "match", "-o", "sprints.html", "--sprint", "5.5m/s");
    const page = await openPage({ at: pathToFileURL(join(folder, "sprints.html")).href });
    expect(await page.getByText(", the first 60").count()).toBeGreaterThan(0);
    const table = page.locator("table.squad").first();
    const players = await table.locator("tr.player").evaluateAll((rows) =>
      rows.map((row) => ({
        name: row.querySelector("a")?.textContent ?? "",
        distance: (row as HTMLTableRowElement).cells[2]?.textContent ?? "",
      })),
    );
    expect(players).toHaveLength(PLAYERS);
    const pages = pdfPages(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
    expect(pages).toHaveLength(2 + PLAYERS);
    // the page contains the clock above the strips, and the meaning of their colours
    expect(pages[0]).toMatch(/Mean speed in the strips: 0 16 km\/h and more .* 13:00 13:30 14:00 14:30/);
    for (const { name, distance } of players) {
      expect(pages[0]).toMatch(new RegExp(`\\b${name} [^A-Z]*${distance}`));
      const own = pages.slice(2).filter((text) => text.includes(` ${name} `));
      expect(own, name).toHaveLength(1);
      expect(own[0]).toContain(`Distance ${distance} m`);
    }
    // all content is narrower than A4 minus its margins
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(703);
  });
});

describe.skipIf(hasNoBrowser)("the report of a season", () => {
  const folder = mkdtempSync(join(tmpdir(), "season-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "season.html");
  beforeAll(() => {
    const days = (day: number) => Date.UTC(2026, 3, 4 + 7 * day, 13);
    const player = (name: string, number: string, rates: readonly (number | null)[]) =>
      rates.map((rate) => ({
        player: { name, number, position: "FW" },
        figures: { minutes: rate === null ? null : 90, rate_m_per_min: rate, distance_m: rate },
        covers: "halves" as const,
        limits: null,
        benchShare: 0,
        playedShare: 1,
        tooFast: null,
        coverage: rate === null ? null : 1,
        hrCoverage: null,
      }));
    const rows = [player("Koch", "14", [90, 91, 89, 90, 120]), player("Keller", "1", [50, 52, 51, 50, 51])];
    const played = [0, 1, 2, 3, 4].map((i) => ({
      name: `match ${i + 1}`,
      startMs: days(i),
      endMs: days(i) + 5_400_000,
      isMatch: true,
      sport: "soccer",
      note: null,
      rows: rows.flatMap((own) => own[i] ?? []),
    }));
    const figure = SQUAD_COLUMNS.find(({ key }) => key === "rate_m_per_min") ?? expect.fail();
    const season = seasonOf(played);
    writeFileSync(file, seasonReport({ title: "Season", season, figure, offsetAt: () => 0 }));
  });
  const open = () => openPage({ at: pathToFileURL(file).href });

  it("shows the players farthest from normal first, or by number, and the same values as a table", async () => {
    const page = await open();
    const names = () => page.locator(".panel:visible h2").allInnerTexts();
    expect(await names()).toEqual([
      expect.stringMatching(/Koch\s+120\s+▲ \+33 %/),
      expect.stringMatching(/Keller/),
    ]);
    await page.getByLabel("Order").selectOption("number");
    expect((await names())[0]).toMatch(/Keller\s+51\s+±0 %/);
    await page.getByRole("button", { name: "Table" }).click();
    expect(await page.locator("tbody tr:visible").allInnerTexts()).toEqual([
      expect.stringMatching(/^1 Keller\t51\t/),
      expect.stringMatching(/^14 Koch\t120\t▲ \+33 %\t90\t96\t120\t5\t5\t0$/),
    ]);
    await page.locator("#figure").selectOption("distance_m");
    expect(await page.locator("caption:visible").innerText()).toBe("Distance, m");
    expect(await violations(page)).toEqual([]);
  });

  it("fits on a phone", async () => {
    const page = await open();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await violations(page)).toEqual([]);
  });
});
