import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import {
  METABOLIC_CAUTION,
  RECIPES,
  type Recipe,
  recipeHash,
  STANDARD_RUNS_CAUTION,
} from "asi-convert/metrics";
import { unzipSync } from "fflate";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { sprintsAndRun } from "./sprints-and-run.js";
import { isKept } from "./squad-kept.js";
import { printedSquad } from "./squad-print.js";
import { type SquadScene, squadScene } from "./squad-scene.js";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));
const SPRINT = "statsports/sprint";

/** The output of the command, or its errors. */
function command(folder: string, ...options: string[]): { output: string; errors: string } {
  const args = [ASI, "squad", folder, "--tz", "Europe/Zurich", ...options];
  try {
    return { output: execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" }), errors: "" };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { output: stdout, errors: stderr };
  }
}

/** The rows of the command as objects. */
const rowsOf = (folder: string, ...options: string[]): Record<string, string | number | null>[] =>
  command(folder, ...options, "--format", "jsonl")
    .output.trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const recipeOf = (name: string): Recipe => RECIPES.find((one) => one.name === name)?.recipe ?? expect.fail();
/** Slower than the sprints of the library. */
const OURS: Recipe = { ...recipeOf("soccer/sprint"), enter: 5000, exit: 5000 };
const GATED: Recipe = { ...recipeOf("soccer/sprint"), gate: { min_satellites: 6 } };

const ready = (page: Page) => page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();
const heads = (page: Page) => page.locator(".squad-table thead th button").allInnerTexts();
const head = (page: Page, name: string) => page.locator(".squad-table thead").getByRole("button", { name });
const names = (page: Page) => page.locator(".squad-table tbody .player").allInnerTexts();
const alertOf = (page: Page, text: RegExp | string) => page.getByRole("alert").filter({ hasText: text });

/** The figures of a player under the head of a count, and the number of columns to their right. */
async function counted(page: Page, player: string, name: string, more = 1): Promise<string[]> {
  const at = (await heads(page)).findIndex((text) => text.startsWith(name));
  const cells = await page
    .locator(".squad-table tbody tr", { hasText: player })
    .locator("td")
    .allInnerTexts();
  return cells.slice(at - 1, at + more).map((text) => text.replace(/at least|[\s≥,]/g, ""));
}

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

async function download(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent("download") as Promise<Download>, press()]);
  return readFileSync(await file.path());
}

async function exported(page: Page, button: string): Promise<Buffer> {
  await page.getByText("Export", { exact: true }).click();
  const file = await download(page, () => page.getByRole("button", { name: button, exact: true }).click());
  await page.keyboard.press("Escape");
  return file;
}

describe.skipIf(hasNoBrowser)("the counts of a squad by other definitions", () => {
  useBrowser();
  let scene: SquadScene;
  let ours = "";
  /** A match of one player whose recording has the quality of its rows. */
  const reception = mkdtempSync(join(tmpdir(), "asi-reception-"));
  const gated = join(reception, "gated.json");
  /** Ten sprints and a steady run of one player, with a period of the run. */
  const trainings = mkdtempSync(join(tmpdir(), "asi-training-"));
  const training = join(trainings, "7-Kunz.asi");
  beforeAll(async () => {
    scene = await squadScene();
    ours = join(scene.beside, "ours.json");
    writeFileSync(ours, JSON.stringify(OURS));
    copyFileSync(fixturePath("valid/reception.asi"), join(reception, "7-Kunz.asi"));
    writeFileSync(join(reception, "periods.csv"), "period,start,end\nRoof,19:00:25,19:00:40\n");
    writeFileSync(gated, JSON.stringify(GATED));
    writeFileSync(training, (await sprintsAndRun("7-Kunz.asi")).buffer);
    writeFileSync(join(trainings, "periods.csv"), "period,start,end\nRun,16:33:30,16:38:50\n");
  });
  afterAll(() => {
    scene.remove();
    rmSync(reception, { recursive: true });
    rmSync(trainings, { recursive: true });
  });

  async function open(options: Parameters<typeof openPage>[0] = {}, files = scene.files): Promise<Page> {
    const page = await openPage(options);
    await page.setInputFiles("input[type=file] >> nth=0", files);
    await ready(page);
    return page;
  }

  it("equal those of the command for the session, the match and each half, in the table and in its order", async () => {
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
      "Sorted by statsports/sprint: count, falling",
    );
  });

  it("appear in the files and in the report with their hashes, as in the output of the command", async () => {
    const page = await open();
    await openChoice(page);
    await add(page, SPRINT);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    await page.keyboard.press("Escape");
    const options = ["--recipe", SPRINT, "--recipe", ours];
    const csv = (await exported(page, "CSV")).toString();
    expect(csv).toBe(command(scene.folder, ...options, "--format", "csv").output);
    for (const recipe of [recipeOf(SPRINT), OURS]) expect(csv).toContain(recipeHash(recipe));
    const workbook = unzipSync(await exported(page, "Excel (.xlsx)"));
    const shared = new TextDecoder().decode(workbook["xl/sharedStrings.xml"]);
    for (const text of ["ours: count", "ours: distance, m", "ours: hash of the recipe", recipeHash(OURS)])
      expect(shared).toContain(text);
    await head(page, "ours").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("Sorted by ours: count");
    expect((await exported(page, "CSV")).toString()).toBe(
      command(scene.folder, ...options, "--sort", "ours", "--format", "csv").output,
    );
    // a third definition is in the files, but a report has only the first two
    await page.getByText("Columns…").click();
    await add(page, "soccer/sprint");
    await page.getByText(`A report contains the counts of the first 2: ${SPRINT}, ours.`).waitFor();
    await head(page, "soccer/sprint").waitFor();
    await page.keyboard.press("Escape");
    const report = await download(page, () => page.getByRole("button", { name: "Report" }).click());
    const path = join(scene.beside, "report.html");
    command(scene.folder, ...options, "--sort", "ours", "-o", path, "--force");
    const untitled = (html: string) => html.replace(/<title>.*?<\/title>/, "").replace(/<h1>.*?<\/h1>/, "");
    expect(untitled(report.toString())).toBe(untitled(readFileSync(path, "utf8")));
    // the printed page is the first page of the report
    const [paper = ""] = pdfPages(await printedSquad(page));
    expect(paper).toMatch(/statsports\/sprint ours Speed/);
    // the font has ligatures
    for (const recipe of [recipeOf(SPRINT), OURS])
      expect(paper.normalize("NFKC")).toContain(recipeHash(recipe));
  });

  it("are refused with the key if a file is invalid, and earlier selections remain", async () => {
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

  it("remain after a reload with the order of the table, until they are removed", async () => {
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
    expect(await page.locator("caption").innerText()).toContain("Sorted by distance, falling");
    // the user can add it again
    await add(page, "ours");
    await head(page, "ours").waitFor();
    await page.getByRole("button", { name: "Restore defaults" }).click();
    await expect.poll(() => heads(page)).toEqual(first);
    expect(await chosen.count()).toBe(0);
  });

  it("use the quality of the recordings if a recipe has a gate, and report the dropped samples, like the command", async () => {
    const packed = join(scene.beside, "8-Frei.asi.gz");
    writeFileSync(packed, gzipSync(readFileSync(fixturePath("valid/reception.asi"))));
    for (const file of [join(reception, "7-Kunz.asi"), packed]) {
      const page = await open({}, [file, join(reception, "periods.csv")]);
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

  it("are refused with the message of the command if a recipe has a gate and the recordings have no quality; other recipes remain", async () => {
    const page = await open();
    await openChoice(page);
    await openFile(page, "ours.json", OURS);
    await head(page, "ours").waitFor();
    const values = await counted(page, "Keller", "ours");
    await openFile(page, "gated.json", GATED);
    await head(page, "gated").waitFor();
    const { errors } = command(scene.folder, "--recipe", gated);
    const [sentence = ""] = /Keller: recipe\.gate needs.*?null\./.exec(errors) ?? [];
    expect(sentence).not.toBe("");
    await alertOf(page, `${sentence} 4 other players have no counts either.`).waitFor();
    expect(await counted(page, "Keller", "gated", 3)).toEqual(["–", "–", "–", "–"]);
    expect(await counted(page, "Keller", "ours")).toEqual(values);
  });

  it("can be selected and removed by keyboard, in a window of 360 pixels", async () => {
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

  it("can be combined with peaks, metabolic power and standard runs, which equal those of the command and show their cautions", async () => {
    const page = await open({}, [training, join(trainings, "periods.csv")]);
    // the head of the clock has a button for each period
    const ofFigures = async () => (await heads(page)).filter((text) => text !== "Run");
    const first = await ofFigures();
    await page.getByText("Columns…").click();
    await page.getByText("Peaks, metabolic power, standard runs").click();
    const figure = page.getByRole("combobox", { name: "Figure", exact: true });
    const shown = [
      ["peak_60s_distance_m", "Peak 1 min", 0],
      ["metabolic_energy_kj_per_kg", "Energy", 1],
      ["metabolic_power_w_per_kg", "Power", 1],
      ["standard_runs", "Std. runs", 0],
      ["standard_run_speed_m_per_s", "Run speed", 2],
    ] as const;
    for (const [key] of shown) {
      await figure.selectOption(key);
      await page.getByRole("button", { name: "Add the figure" }).click();
    }
    await page.getByText("It contains Peak 1 min, Energy, Power, Std. runs.").waitFor();
    await expect.poll(ofFigures).toEqual([...first, ...shown.map(([, name]) => name)]);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    const rows = rowsOf(trainings, "--peaks", "--metabolic-power", "--standard-runs");
    const caution = page.locator(".squad-caution");
    expect(await caution.allInnerTexts()).toEqual([METABOLIC_CAUTION, STANDARD_RUNS_CAUTION]);
    const expectShown = async (row: (typeof rows)[number] | undefined) => {
      for (const [key, name, decimals] of shown)
        await expect
          .poll(() => counted(page, "7-Kunz", name, 0))
          .toEqual([row?.[key] == null ? "–" : Number(row[key]).toFixed(decimals)]);
    };
    for (const [button, period] of [
      ["Run", "Run"],
      ["Session", "session"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).first().click();
      await expectShown(rows.find((row) => row.period === period));
    }
    const csv = (await exported(page, "CSV")).toString().trimEnd().split("\n");
    const [names = [], session = []] = csv.map((line) => line.split(","));
    for (const key of [...shown.map(([one]) => one), "peak_60s_distance_m_start"])
      expect(session[names.indexOf(key)], key).toBe(String(rows[0]?.[key]));
    expect(names.slice(-2)).toEqual(["metabolic_caution", "standard_runs_caution"]);
    for (const text of [METABOLIC_CAUTION, STANDARD_RUNS_CAUTION]) expect(csv[1]).toContain(text);
    const workbook = unzipSync(await exported(page, "Excel (.xlsx)"));
    const cells = new TextDecoder().decode(workbook["xl/sharedStrings.xml"]);
    for (const text of ["Caution: metabolic power", METABOLIC_CAUTION, STANDARD_RUNS_CAUTION])
      expect(cells).toContain(text);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText("The table is on the clipboard.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.trimEnd().split("\n").slice(-2)).toEqual([METABOLIC_CAUTION, STANDARD_RUNS_CAUTION]);
    const report = (
      await download(page, () => page.getByRole("button", { name: "Report" }).click())
    ).toString();
    for (const text of ["Peak 1 min", "Std. runs", METABOLIC_CAUTION, STANDARD_RUNS_CAUTION])
      expect(report).toContain(text);
    expect(report).not.toContain("Run speed");
    const [paper = ""] = pdfPages(await printedSquad(page));
    expect(paper).toMatch(/Peak 1 min m Energy kJ\/kg Power W\/kg Std\. runs Speed/);

    await page.reload();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    await expectShown(rows[0]);
    await page.getByText("Columns…").click();
    await page.getByRole("group", { name: "Selected figures" }).getByLabel("Energy").click();
    await head(page, "Energy").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restore defaults" }).click();
    await expect.poll(ofFigures).toEqual(first);
    await caution.first().waitFor({ state: "detached" });
  });

  it("are not loaded before they are selected", async () => {
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
