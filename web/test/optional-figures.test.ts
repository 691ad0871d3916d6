import {
  type AccelerationSpeedProfile,
  accelerationSpeedProfile,
  METABOLIC_CAUTION,
  metabolicEstimate,
  STANDARD_RUNS_CAUTION,
  sessionMaxSpeed,
  standardRuns,
} from "asi-convert/metrics";
import { sessionSpeeds } from "asi-convert/squad";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, sharedPage, useBrowser } from "./page.js";
import { sprintsAndRun } from "./sprints-and-run.js";

const PROFILE = "Acceleration-speed profile";
const POWER = "Metabolic power (estimate)";
const RUNS = "Standard runs (experimental)";

const file = await sprintsAndRun("sprints.asi");
const { samples } = file;
const maxSpeed = sessionMaxSpeed(samples) ?? 0;

const fold = (page: Page, title: string) =>
  page.locator("details.panel", { has: page.getByText(title, { exact: true }) });
const open = (page: Page, title: string) => page.getByText(title, { exact: true }).click();
const factsOf = (page: Page, title: string) => fold(page, title).locator("dd").allInnerTexts();

/** Opens a file instead of the shown one. */
async function replace(page: Page, other: Parameters<Page["setInputFiles"]>[1]): Promise<void> {
  const before = await page.locator(".cards").innerText();
  await page.locator('header input[data-adding="false"]').setInputFiles(other);
  await expect.poll(() => page.locator(".cards").innerText()).not.toBe(before);
}

/** Returns the scripts of parts that were loaded. */
const partsOf = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => /\/(speed-profile|metabolic|standard-runs)-/.test(name)),
  );

/** Returns the ends of the drawn line, in the units of the axes. */
async function lineOf(page: Page): Promise<number[]> {
  const chart = page.locator(".profile-chart");
  const labels = (await chart.locator("text").allTextContents())
    .map(Number)
    .filter((one) => !Number.isNaN(one));
  const path = (await chart.locator(".line").getAttribute("d")) ?? "";
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [...path.matchAll(/[\d.]+/g)].map(Number);
  const grid = await chart
    .locator(".grid")
    .evaluateAll((lines) => lines.map((line) => line.getAttribute("d") ?? ""));
  const places = (pattern: RegExp) =>
    grid.flatMap((d) => Number(pattern.exec(d)?.[1] ?? Number.NaN)).filter((n) => !Number.isNaN(n));
  const ys = places(/^M[\d.]+ ([\d.]+)H/);
  const xs = places(/^M([\d.]+) [\d.]+V/);
  const [rows, columns] = [labels.slice(0, ys.length), labels.slice(ys.length)];
  const scale = (value: number, pixels: number[], values: number[]) => {
    const [from = 0, to = 0] = [pixels[0], pixels.at(-1)];
    const [low = 0, high = 0] = [values[0], values.at(-1)];
    return low + ((value - from) / (to - from)) * (high - low);
  };
  return [scale(x0, xs, columns), scale(y0, ys, rows), scale(x1, xs, columns), scale(y1, ys, rows)];
}

const shownFacts = ({ profile }: AccelerationSpeedProfile) => [
  `${profile?.a0.toFixed(2)} m/s²`,
  `${((profile?.s0 ?? 0) * 3.6).toFixed(1)} km/h`,
  `${profile?.tau.toFixed(2)} s`,
  `${profile?.r2_before?.toFixed(4)}, ${profile?.n_before} points`,
  `${profile?.r2?.toFixed(4)}, ${profile?.n} points`,
];

describe.skipIf(hasNoBrowser)("figures of a recording that are off by default", () => {
  useBrowser();
  const shared = sharedPage(async () => {
    const page = await openPage();
    await choose(page, file);
    await page.getByText("By speed", { exact: true }).waitFor();
    // the parts are loaded when they are opened
    expect(await partsOf(page)).toEqual([]);
    return page;
  });

  it("have the profile of asi stats --profile as points with its line, for the maximum speed of the recording or of the athlete", async () => {
    const page = await shared();
    await open(page, PROFILE);
    const own = accelerationSpeedProfile([samples], { maxSpeed });
    await page.getByText("A0, theoretical maximum acceleration").waitFor();
    const held = `${(maxSpeed * 3.6).toFixed(1)} km/h`;
    expect(await factsOf(page, PROFILE)).toEqual([...shownFacts(own), held]);
    const { points } = sessionSpeeds({ recordings: [{ samples }] }, {});
    expect(await page.locator(".profile-chart circle").count()).toBe(points.length);
    const [x0, y0, x1, y1] = await lineOf(page);
    const expected = [0, own.profile?.a0 ?? 0, (own.profile?.s0 ?? 0) * 3.6, 0];
    for (const [i, value] of [x0, y0, x1, y1].entries()) expect(value).toBeCloseTo(expected[i] ?? 0, 2);
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);

    const field = page.getByLabel("Maximum speed of the athlete", { exact: true });
    await field.fill("40");
    await field.press("Enter");
    const { reason } = accelerationSpeedProfile([samples], { maxSpeed: 40 / 3.6 });
    expect(reason).not.toBeNull();
    await page.getByText(`There is no profile: ${reason}.`).waitFor();
    expect(await page.locator(".profile-chart .line").count()).toBe(0);
    await field.fill("");
    await field.press("Enter");
    await page.getByText("A0, theoretical maximum acceleration").waitFor();
    await open(page, PROFILE);
  });

  it("show the energy of the visible time with a caution, and list the standard runs, which the user can zoom to", async () => {
    const page = await shared();
    await open(page, RUNS);
    const [run] = standardRuns(samples).runs;
    const row = page.getByRole("region", { name: "Standard runs" }).locator("tbody tr");
    await row.waitFor();
    expect((await row.locator("td:not(.action)").allInnerTexts()).map((text) => text.trim())).toEqual([
      `5:0${(run?.duration ?? 0) - 300} min`,
      ((run?.mean_speed ?? 0) * 3.6).toFixed(2),
      "150.0",
    ]);
    await page.getByText(STANDARD_RUNS_CAUTION).waitFor();

    await open(page, POWER);
    await page.getByText(METABOLIC_CAUTION).waitFor();
    const expectEnergy = async (limits: { from?: number; to?: number }) => {
      const estimate = metabolicEstimate(samples, limits);
      await expect.poll(() => factsOf(page, POWER)).toContain(`${estimate.energy?.toFixed(2)} kJ/kg`);
      expect((await factsOf(page, POWER)).at(-1)).toBe(estimate.equivalent_distance_index?.toFixed(3));
      const cells = await fold(page, POWER).locator("tbody td:last-child").allInnerTexts();
      expect(cells.map((text) => Number(text.replace(",", "")))).toEqual(
        estimate.categories.map(({ distance }) => Math.round(distance)),
      );
    };
    await expectEnergy({});
    await page.getByRole("button", { name: /^Show the run from/ }).click();
    const from = run?.start_time ?? 0;
    await expectEnergy({ from, to: from + (run?.duration ?? 0) * 1000 });
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  });

  it("show the reason if there are none, and fit into 360 pixels", async () => {
    const page = await shared();
    await page.setViewportSize({ width: 360, height: 740 });
    await replace(page, fixturePath("valid/match-hr.asi"));
    for (const title of [PROFILE, POWER, RUNS]) await open(page, title);
    await page.getByText("There is no profile: R2 0.4556; at least 0.9 is needed.").waitFor();
    await page.getByText("There are none. A standard run is a steady run of at least 4 min").waitFor();
    await page.getByText("Mean power").waitFor();
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await replace(page, file);
  });
});
