import { decodeSync, demoRows, encode } from "asi-convert";
import { computeMetrics, heartRatePeriods } from "asi-convert/metrics";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { Keyboard } from "./keyboard.js";
import { card, choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

const START_MS = Date.UTC(2025, 4, 17, 14, 30);

type Rows = Parameters<typeof encode>[0];

async function fileOf(rows: Rows) {
  const stream = encode(rows, { serial: "T-1", deviceName: "Player 1", deviceType: "made up" });
  const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
  return { name: "session.asi", mimeType: "", buffer };
}

const session = () => fileOf(demoRows({ seed: 7, startMs: START_MS, durationMs: 20 * 60_000 }));

const open = (page: Page) => page.getByText("Heart-rate range", { exact: true }).click();
const table = (page: Page) => page.getByRole("region", { name: "Periods in the heart-rate range" });
const field = (page: Page, name: "Lowest" | "Highest") =>
  page.getByRole("spinbutton", { name: `${name} heart rate, bpm` });

/** Returns a total above the list. */
const total = (page: Page, name: string) =>
  page
    .locator("details", { has: page.getByText("Heart-rate range", { exact: true }) })
    .locator(`dt:text-is("${name}") + dd`)
    .innerText();

async function enter(page: Page, low: string, high: string) {
  await field(page, "Lowest").fill(low);
  await field(page, "Highest").fill(high);
  await field(page, "Highest").press("Enter");
}

const lengthOf = (ms: number) => {
  const seconds = Math.round(ms / 1000);
  const rest = String(seconds % 60).padStart(2, "0");
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${rest} min`;
};

const startOf = (ms: number) =>
  new Date(Math.round(ms / 1000) * 1000).toLocaleTimeString("en-GB", { timeZone: "Europe/Zurich" });

describe.skipIf(hasNoBrowser)("the heart-rate range of a recording", () => {
  useBrowser();

  it("lists the periods of `asi stats --heart-range` with time, distance and mean speed", async () => {
    const file = await session();
    const { samples } = decodeSync(file.buffer);
    const periods = heartRatePeriods(samples, 120, 150);
    expect(periods.length).toBeGreaterThan(2);
    const page = await openPage();
    await choose(page, file);
    await open(page);
    await enter(page, "120", "150");
    await expect.poll(() => total(page, "Periods")).toBe(String(periods.length));
    const { total_distance } = computeMetrics(samples, { periods });
    expect(await total(page, "Distance")).toBe(
      `${Math.round(total_distance ?? 0).toLocaleString("en-GB")} m`,
    );
    const rows = await table(page).locator("tbody tr").all();
    const shown = await Promise.all(rows.map((row) => row.locator("th, td:not(.action)").allInnerTexts()));
    expect(shown).toEqual(
      periods.map((period) => {
        const figures = computeMetrics(samples, { periods: [period] });
        return [
          startOf(period.startMs),
          lengthOf(period.endMs - period.startMs),
          figures.total_distance?.toFixed(0) ?? "–",
          ((figures.average_speed ?? 0) * 3.6).toFixed(1),
        ];
      }),
    );
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  });

  it("shows a period in plots, map and figures, with the mouse and by keyboard", async () => {
    const file = await session();
    const { samples } = decodeSync(file.buffer);
    const page = await openPage();
    await choose(page, file);
    // the ends of the map's legend are those of the visible part
    await page.getByRole("button", { name: "Time", exact: true }).click();
    await open(page);
    await enter(page, "120", "150");
    await table(page).waitFor();
    const periods = heartRatePeriods(samples, 120, 150);
    const legend = async () =>
      (await page.locator(".legend").innerText()).split(/\s+/).filter((word) => word !== "");
    const [first, second] = periods;
    await table(page).getByRole("button").first().click();
    await expect.poll(legend).toEqual([startOf(first?.startMs ?? 0), startOf(first?.endMs ?? 0)]);
    const { total_distance } = computeMetrics(samples, { from: first?.startMs, to: first?.endMs });
    await expect.poll(() => card(page, "Distance")).toBe(`${total_distance?.toFixed(0)} m`);

    const keyboard = await Keyboard.of(page);
    await keyboard.press(new RegExp(`^Show the .* from ${startOf(second?.startMs ?? 0)}`));
    expect(await keyboard.pointerEvents()).toBe(0);
    await expect.poll(legend).toEqual([startOf(second?.startMs ?? 0), startOf(second?.endMs ?? 0)]);
  });

  it("reports invalid limits, and a heart rate that was never between them", async () => {
    const page = await openPage();
    await choose(page, await session());
    await open(page);
    await enter(page, "180", "150");
    await page.getByText("the lower one first").waitFor();
    await enter(page, "235", "240");
    await page.getByText("The heart rate was never in this range.").waitFor();
    await enter(page, "", "240");
    await page.getByText("Enter both limits, from 30 to 240 bpm.").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
