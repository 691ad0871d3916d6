import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { METABOLIC_CAUTION, STANDARD_RUNS_CAUTION } from "asi-convert/metrics";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { sprintsAndRun } from "./sprints-and-run.js";
import { download, exported, figuresUnder, head, heads, openSquad, ready, rowsOf } from "./squad-page.js";
import { printedSquad } from "./squad-print.js";

useBrowser();

describe.skipIf(hasNoBrowser)("peaks, metabolic power and standard runs of a squad", () => {
  /** Ten sprints and a steady run of one player, with a period of the run. */
  const folder = mkdtempSync(join(tmpdir(), "asi-training-"));
  const training = join(folder, "7-Kunz.asi");
  const periods = join(folder, "periods.csv");
  beforeAll(async () => {
    writeFileSync(training, (await sprintsAndRun("7-Kunz.asi")).buffer);
    writeFileSync(periods, "period,start,end\nRun,16:33:30,16:38:50\n");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("can be combined, equal those of the command, and show their cautions", async () => {
    const page = await openSquad([training, periods]);
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
    const rows = rowsOf(folder, "--peaks", "--metabolic-power", "--standard-runs");
    const caution = page.locator(".squad-caution");
    expect(await caution.allInnerTexts()).toEqual([METABOLIC_CAUTION, STANDARD_RUNS_CAUTION]);
    const expectShown = async (row: (typeof rows)[number] | undefined) => {
      for (const [key, name, decimals] of shown)
        await expect
          .poll(() => figuresUnder(page, "7-Kunz", name, 0))
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
    const [header = [], ...lines] = copied.split("\n").map((line) => line.split("\t"));
    expect(header.at(-1)).toBe("Notes");
    for (const cells of lines.filter(({ length }) => length === header.length))
      for (const cell of cells.slice(3, -1)) expect(cell).toMatch(/^(–|-?\d+(\.\d+)?)$/);
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
});
