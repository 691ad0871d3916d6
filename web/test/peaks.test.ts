import { text } from "node:stream/consumers";
import { decodeSync, demoRows, encode } from "asi-convert";
import { computeMetrics, type PeakWindow, peakCurve, peakDemands } from "asi-convert/metrics";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { Keyboard } from "./keyboard.js";
import { card, choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

const START_MS = Date.UTC(2025, 4, 17, 14, 30);
const MINUTE_MS = 60_000;

type Rows = Parameters<typeof encode>[0];

async function fileOf(rows: Rows) {
  const stream = encode(rows, { serial: "T-1", deviceName: "Player 1", deviceType: "made up" });
  const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
  return { name: "session.asi", mimeType: "", buffer };
}

/** Returns a session that is longer than every window. */
const session = () => fileOf(demoRows({ seed: 7, startMs: START_MS, durationMs: 20 * MINUTE_MS }));

/** Returns rows with a constant speed. */
const steadyRows = (count: number, stepMs: number) =>
  Array.from({ length: count }, (_, i) => ({
    timestamp: START_MS + i * stepMs,
    latitude: 47.37,
    longitude: 8.55,
    altitude: 400,
    speed: 2,
    hr: null,
  }));

const open = (page: Page) => page.getByText("Peak demands", { exact: true }).click();
const region = (page: Page) => page.getByRole("region", { name: "Peak demands" });

/** Returns the cells of the table, without buttons. */
const tableOf = async (page: Page) => {
  await region(page).waitFor();
  const rows = await region(page).locator("tbody tr").all();
  return Promise.all(
    rows.map(async (row) =>
      (await row.locator("th, td:not(.action)").allInnerTexts()).map((cell) => cell.trim()),
    ),
  );
};

const LENGTHS = [
  ...["1 s", "5 s", "10 s", "15 s", "30 s"],
  ...["1:00 min", "2:00 min", "3:00 min", "5:00 min", "10:00 min"],
];
const timeIn = (timeZone: string, ms: number) =>
  new Date(Math.round(ms / 1000) * 1000).toLocaleTimeString("en-GB", { timeZone });

/** Returns the expected content of the table. */
const expectedOf = (peaks: readonly PeakWindow[], perMetrePerSecond: number, timeZone: string) =>
  peaks.map(({ window, value, start_time }, i) =>
    value === null || start_time === null
      ? [LENGTHS[i], "–", "–", "–"]
      : [
          LENGTHS[i],
          ((value / window) * 60).toFixed(1),
          ((value / window) * perMetrePerSecond).toFixed(1),
          timeIn(timeZone, start_time),
        ],
  );

/** Expects that plots, map and figures show the passage. */
async function expectShown(
  page: Page,
  samples: Parameters<typeof computeMetrics>[0],
  { window, start_time }: PeakWindow,
) {
  const from = start_time ?? 0;
  const to = from + window * 1000;
  const legend = page.locator(".legend");
  await expect
    .poll(async () => (await legend.innerText()).split(/\s+/).filter((word) => word !== ""))
    .toEqual([timeIn("Europe/Zurich", from), timeIn("Europe/Zurich", to)]);
  const { total_distance } = computeMetrics(samples, { from, to });
  await expect.poll(() => card(page, "Distance")).toBe(`${total_distance?.toFixed(0)} m`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV", exact: true }).click(),
  ]);
  const [, ...lines] = (await text(await download.createReadStream())).trimEnd().split("\n");
  const times = lines.map((line) => Math.round(Number(line.split(",")[0]) * 1000));
  expect([times[0], times.at(-1)]).toEqual([from, to]);
}

describe.skipIf(hasNoBrowser)("the peak demands of a recording", () => {
  useBrowser();

  it("equal those of `asi stats --peaks`, in the units and the zone of the page, and are computed when they are opened", async () => {
    const file = await session();
    const { samples } = decodeSync(file.buffer);
    const { distance } = peakDemands(samples).peaks;
    const page = await openPage();
    const parts: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/peaks-")) parts.push(request.url());
    });
    await choose(page, file);
    await page.getByText("By speed", { exact: true }).waitFor();
    expect(parts).toEqual([]);
    await open(page);
    expect(await tableOf(page)).toEqual(expectedOf(distance, 3.6, "Europe/Zurich"));
    expect(parts).not.toEqual([]);
    const { power_law, critical_speed, critical_speed_3 } = peakDemands(samples);
    const facts = await page.locator("details", { hasText: "Peak demands" }).locator("dd").allInnerTexts();
    expect(facts).toEqual([
      expect.stringContaining(`${power_law?.rate_at_60_s.toFixed(1)} m/min in 1 min`),
      expect.stringContaining(`${critical_speed?.critical_speed.toFixed(2)} m/s, D′`),
      expect.stringContaining(`maximum ${critical_speed_3?.max_speed.toFixed(2)} m/s`),
    ]);

    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "UTC" }).click();
    await page.getByRole("button", { name: "m/s" }).click();
    await page.keyboard.press("Escape");
    expect(await tableOf(page)).toEqual(expectedOf(distance, 1, "UTC"));
    expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
  });

  it("show their passage in plots, map and figures, with a button of the table, with the keyboard, and with a click on the curve", async () => {
    const file = await session();
    const { samples } = decodeSync(file.buffer);
    const { distance } = peakDemands(samples).peaks;
    const page = await openPage();
    await choose(page, file);
    // the ends of the map's legend are those of the visible part
    await page.getByRole("button", { name: "Time", exact: true }).click();
    await open(page);
    const picture = () => page.locator(".map > canvas").evaluate((map: HTMLCanvasElement) => map.toDataURL());
    await region(page).waitFor();
    const whole = await picture();
    const [, , , , , minute, , , five] = distance as [...PeakWindow[]];
    await page.getByRole("button", { name: /^Show the 1:00 min from/ }).click();
    await expectShown(page, samples, minute as PeakWindow);
    await expect.poll(picture).not.toBe(whole);
    const ofMinute = await picture();
    await page.locator(".overview-frame").waitFor();

    const keyboard = await Keyboard.of(page);
    await keyboard.press(/^Show the 5:00 min from/);
    expect(await keyboard.pointerEvents()).toBe(0);
    await expectShown(page, samples, five as PeakWindow);
    await expect.poll(picture).not.toBe(ofMinute);

    // this point is between the dots of 15 s and 30 s
    const [from, to] = await page
      .locator(".peak-curve circle:not(.told)")
      .evaluateAll((dots) => [dots[3], dots[4]].map((dot) => Number(dot?.getAttribute("cx"))));
    const x =
      (from as number) + ((to as number) - (from as number)) * (Math.log(22 / 15) / Math.log(30 / 15));
    await page.locator(".peak-curve svg").click({ position: { x, y: 40 } });
    const pressed = peakCurve(samples, "distance").find(({ window }) => window === 22);
    await expectShown(page, samples, pressed as PeakWindow);
    const told = `22 s from ${timeIn("Europe/Zurich", pressed?.start_time ?? 0)}: ${(((pressed?.value ?? 0) / 22) * 60).toFixed(1)} m/min`;
    expect(await page.locator(".peak-curve .note").innerText()).toBe(told);
    // the dots have the values of the table
    await page.locator(".peak-curve svg").hover({ position: { x: (to as number) + 2, y: 40 } });
    await page.getByText(/^30 s from/).waitFor();
  });

  it("are replaced by a reason if a window is longer than the recording, or if no second has speeds", async () => {
    const minute = await fileOf(steadyRows(600, 100));
    const { distance } = peakDemands(decodeSync(minute.buffer).samples).peaks;
    const page = await openPage();
    await choose(page, minute);
    await open(page);
    expect(await tableOf(page)).toEqual(expectedOf(distance, 3.6, "Europe/Zurich"));
    expect(distance.filter(({ value }) => value === null)).toHaveLength(5);
    await page.getByText("Speeds cover less than 90 % of every window of this length.").waitFor();
    expect(await region(page).getByRole("button").count()).toBe(5);
    expect(await violations(page)).toEqual([]);

    const short = await openPage();
    await choose(short, await fileOf(steadyRows(5, 100)));
    await open(short);
    await short.getByText("There are none, because speeds cover less than 90 % of each second.").waitFor();
    expect(await region(short).count()).toBe(0);
    expect(await violations(short)).toEqual([]);
  });
});
