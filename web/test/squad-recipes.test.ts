import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { RECIPES, type Recipe, recipeHash } from "asi-convert/metrics";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { isKept } from "./squad-kept.js";
import {
  download,
  exported,
  figuresUnder,
  head,
  heads,
  names,
  openSquad,
  ready,
  rowsOf,
  squadCommand,
  withMatch,
} from "./squad-page.js";
import { printedSquad } from "./squad-print.js";

const SPRINT = "statsports/sprint";

const recipeOf = (name: string): Recipe => RECIPES.find((one) => one.name === name)?.recipe ?? expect.fail();
/** Slower than the sprints of the library. */
const OURS: Recipe = { ...recipeOf("soccer/sprint"), enter: 5000, exit: 5000 };
const GATED: Recipe = { ...recipeOf("soccer/sprint"), gate: { min_satellites: 6 } };

const alertOf = (page: Page, text: RegExp | string) => page.getByRole("alert").filter({ hasText: text });

/** Returns the count of a player by a definition, and the figures beside it. */
const counted = (page: Page, player: string, name: string, more = 1) =>
  figuresUnder(page, player, name, more);

const definition = (page: Page) => page.getByRole("combobox", { name: "Definition" });

async function openChoice(page: Page): Promise<void> {
  await page.getByText("Columns…").click();
  await page.getByText("Counts by other definitions").click();
}

async function add(page: Page, name: string): Promise<void> {
  await definition(page).selectOption(name);
  await page.getByRole("button", { name: "Add", exact: true }).click();
}

const openFile = (page: Page, name: string, value: unknown) =>
  page.locator("input[data-recipe]").setInputFiles({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  });

const it = withMatch().extend("ours", { scope: "file" }, ({ scene }) => {
  const path = join(scene.beside, "ours.json");
  writeFileSync(path, JSON.stringify(OURS));
  return path;
});
useBrowser();

describe.skipIf(hasNoBrowser)("the counts of a squad by other definitions", () => {
  /** A match of one player whose recording has the quality of its rows. */
  const reception = mkdtempSync(join(tmpdir(), "asi-reception-"));
  const gated = join(reception, "gated.json");
  beforeAll(() => {
    copyFileSync(fixturePath("valid/reception.asi"), join(reception, "7-Kunz.asi"));
    writeFileSync(join(reception, "periods.csv"), "period,start,end\nRoof,19:00:25,19:00:40\n");
    writeFileSync(gated, JSON.stringify(GATED));
  });
  afterAll(() => rmSync(reception, { recursive: true }));

  it("equal those of the command for the session, the match and each half, in the table and in its order", async ({
    scene,
    open,
  }) => {
    const page = await open();
    await openChoice(page);
    await add(page, SPRINT);
    await head(page, SPRINT).waitFor();
    await page.getByText(/Source: https:\/\/elitesupport\.statsports\.com.*Recipe 60404ed98767/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const rows = rowsOf(scene.folder, "--recipe", SPRINT);
    expect(rows.some(({ statsports_sprint_count: count }) => Number(count) > 0)).toBe(true);
    const ofPeriod = (name: string) => rows.filter(({ period }) => period === name);
    for (const [button, period] of [
      ["Session", "session"],
      ["Match", "Match"],
      ["1st half", "1st half"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).first().click();
      await expect.poll(() => page.locator("caption").innerText()).toMatch(new RegExp(`^${button}`));
      for (const row of ofPeriod(period))
        expect(await counted(page, String(row.player), SPRINT), `${row.player}, ${period}`).toEqual([
          String(row.statsports_sprint_count),
          String(Math.round(Number(row.statsports_sprint_distance_m))),
        ]);
    }
    await head(page, SPRINT).click();
    const most = ofPeriod("1st half").toSorted(
      (a, b) => Number(b.statsports_sprint_count) - Number(a.statsports_sprint_count),
    );
    await expect.poll(async () => (await names(page))[0]).toBe(most[0]?.player);
    expect(await page.locator("caption").innerText()).toContain(
      "Sorted by statsports/sprint: count, descending",
    );
  });

  it("appear in the files and in the report with their hashes, as in the output of the command", async ({
    scene,
    open,
    ours,
  }) => {
    const page = await open();
    await openChoice(page);
    await add(page, SPRINT);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    await page.keyboard.press("Escape");
    const options = ["--recipe", SPRINT, "--recipe", ours];
    const csv = (await exported(page, "CSV")).toString();
    expect(csv).toBe(squadCommand(scene.folder, ...options, "--format", "csv").output);
    for (const recipe of [recipeOf(SPRINT), OURS]) expect(csv).toContain(recipeHash(recipe));
    const workbook = unzipSync(await exported(page, "Excel (.xlsx)"));
    const shared = new TextDecoder().decode(workbook["xl/sharedStrings.xml"]);
    for (const text of ["ours: count", "ours: distance, m", "ours: hash of the recipe", recipeHash(OURS)])
      expect(shared).toContain(text);
    await head(page, "ours").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("Sorted by ours: count");
    expect((await exported(page, "CSV")).toString()).toBe(
      squadCommand(scene.folder, ...options, "--sort", "ours", "--format", "csv").output,
    );
    // a third definition is in the files, but a report has only the first two
    await page.getByText("Columns…").click();
    await add(page, "soccer/sprint");
    await page.getByText(`A report contains the counts of the first 2: ${SPRINT}, ours.`).waitFor();
    await head(page, "soccer/sprint").waitFor();
    await page.keyboard.press("Escape");
    const report = await download(page, () => page.getByRole("button", { name: "Report" }).click());
    const path = join(scene.beside, "report.html");
    squadCommand(scene.folder, ...options, "--sort", "ours", "-o", path, "--force");
    const untitled = (html: string) => html.replace(/<title>.*?<\/title>/, "").replace(/<h1>.*?<\/h1>/, "");
    expect(untitled(report.toString())).toBe(untitled(readFileSync(path, "utf8")));
    // the printed page is the first page of the report
    const [paper = ""] = pdfPages(await printedSquad(page));
    expect(paper).toMatch(/statsports\/sprint ours Speed/);
    // the font has ligatures
    for (const recipe of [recipeOf(SPRINT), OURS])
      expect(paper.normalize("NFKC")).toContain(recipeHash(recipe));
  });

  it("are refused with the key if a file is invalid, and earlier selections remain", async ({ open }) => {
    const page = await open();
    await openChoice(page);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    const before = await heads(page);
    const values = await counted(page, "Keller", "ours");
    await openFile(page, "theirs.json", { ...OURS, enter: "fast" });
    await alertOf(page, /^theirs\.json: .*recipe\.enter/).waitFor();
    await openFile(page, "theirs.json", "{");
    await alertOf(page, "theirs.json: This is not JSON").waitFor();
    await openFile(page, "two.json", { "Our sprint": OURS, "our-sprint": OURS });
    await alertOf(page, "Two recipes would have the columns our_sprint_…").waitFor();
    expect([await heads(page), await counted(page, "Keller", "ours")]).toEqual([before, values]);
    // a changed file replaces the previous one
    await openFile(page, "ours.json", { ...OURS, enter: 3000, exit: 3000 });
    await expect.poll(() => counted(page, "Keller", "ours")).not.toEqual(values);
    expect(await heads(page)).toEqual(before);
  });

  it("remain after a reload with the order of the table, until they are removed", async ({ open }) => {
    const page = await open();
    const first = await heads(page);
    await openChoice(page);
    await add(page, SPRINT);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    await page.keyboard.press("Escape");
    await head(page, "ours").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("Sorted by ours: count");
    const [all, order] = [await heads(page), await names(page)];
    const values = await counted(page, "Keller", SPRINT, 3);
    await isKept(page, '"key":"ours_count"');
    await page.reload();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    await expect.poll(() => heads(page)).toEqual(all);
    expect([await names(page), await counted(page, "Keller", SPRINT, 3)]).toEqual([order, values]);
    await page.getByText("Columns…").click();
    const chosen = page.getByRole("group", { name: "Chosen definitions" });
    await chosen.getByLabel("ours").click();
    await head(page, "ours").waitFor({ state: "detached" });
    // the values of the other one stay under its head
    expect(await counted(page, "Keller", SPRINT)).toEqual(values.slice(0, 2));
    expect(await page.locator("caption").innerText()).toContain("Sorted by distance, descending");
    // the user can add it again
    await add(page, "ours");
    await head(page, "ours").waitFor();
    await page.getByRole("button", { name: "Restore defaults" }).click();
    await expect.poll(() => heads(page)).toEqual(first);
    expect(await chosen.count()).toBe(0);
  });

  it("use the quality of the recordings if a recipe has a gate, and report the dropped samples, like the command", async ({
    scene,
  }) => {
    const packed = join(scene.beside, "8-Frei.asi.gz");
    writeFileSync(packed, gzipSync(readFileSync(fixturePath("valid/reception.asi"))));
    for (const file of [join(reception, "7-Kunz.asi"), packed]) {
      const page = await openSquad([file, join(reception, "periods.csv")]);
      await openChoice(page);
      await openFile(page, "gated.json", GATED);
      await head(page, "gated").waitFor();
      await page.getByRole("button", { name: "Session", exact: true }).click();
      const [row] = rowsOf(reception, "--recipe", gated);
      const shown = [row?.gated_count, Math.round(Number(row?.gated_distance_m)), row?.gated_gate_rows];
      const player = file === packed ? "8-Frei" : "7-Kunz";
      const texts = [...shown, row?.gated_gate_s].map(String);
      expect(texts.slice(2)).toEqual(["51", "5.3"]);
      await expect.poll(() => counted(page, player, "gated", 3)).toEqual(texts);
    }
  });

  it("are refused with the message of the command if a recipe has a gate and the recordings have no quality; other recipes remain", async ({
    scene,
    open,
  }) => {
    const page = await open();
    await openChoice(page);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    const values = await counted(page, "Keller", "ours");
    await openFile(page, "gated.json", GATED);
    await head(page, "gated").waitFor();
    const { errors } = squadCommand(scene.folder, "--recipe", gated);
    const [sentence = ""] = /Keller: recipe\.gate needs.*?null\./.exec(errors) ?? [];
    expect(sentence).not.toBe("");
    await alertOf(page, `${sentence} 4 other players have no counts either.`).waitFor();
    expect(await counted(page, "Keller", "gated", 3)).toEqual(["–", "–", "–", "–"]);
    expect(await counted(page, "Keller", "ours")).toEqual(values);
  });

  it("can be selected and removed by keyboard, in a window of 360 pixels", async ({ open }) => {
    const page = await open({ viewport: { width: 360, height: 740 } });
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const tabTo = async (text: string) => {
      for (let i = 0; i < 60 && !(await focused()).startsWith(text); i++) await page.keyboard.press("Tab");
      expect(await focused()).toMatch(new RegExp(`^${text}`));
    };
    await page.locator(".squad-controls summary", { hasText: "More" }).focus();
    await page.keyboard.press("Enter");
    await tabTo("Columns…");
    await page.keyboard.press("Enter");
    // the content of the menu is loaded after the table
    await page.getByText("Counts by other definitions").waitFor();
    await tabTo("Counts by other definitions");
    await page.keyboard.press("Enter");
    await definition(page).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("stats");
    await tabTo("Add");
    await page.keyboard.press("Enter");
    await head(page, SPRINT).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    const chosen = page.getByRole("group", { name: "Chosen definitions" }).getByRole("checkbox");
    await chosen.focus();
    await page.keyboard.press("Space");
    await head(page, SPRINT).waitFor({ state: "detached" });
    // the next key acts in the list, and not at the beginning of the page
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SELECT");
  });

  it("are not loaded before they are selected", async ({ open }) => {
    const page = await open();
    await page.getByText("Columns…").click();
    const loaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").some(({ name }) => /\/recipes-part/.test(name)),
      );
    expect(await loaded()).toBe(false);
    await page.getByText("Counts by other definitions").click();
    await definition(page).waitFor();
    expect(await loaded()).toBe(true);
  });
});
