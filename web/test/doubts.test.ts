import { readFileSync } from "node:fs";
import { encode } from "asi-convert";
import { describe, expect, it } from "vitest";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

const START = Date.UTC(2025, 4, 17, 12);

/** Returns rows at a steady speed, in m/s. */
async function recordingOf(count: number, stepMs: number, speed: number): Promise<Buffer> {
  const rows = Array.from({ length: count }, (_, i) => ({
    timestamp: START + i * stepMs,
    latitude: 47 + i / 50_000,
    longitude: 8.5,
    altitude: 400,
    speed,
    hr: null,
  }));
  return Buffer.from(await new Response(encode(rows, { serial: "A1" })).arrayBuffer());
}

describe.skipIf(hasNoBrowser)("a problem of a recording or its figures", () => {
  useBrowser();

  it("is shown next to the recording in a comparison, and above its figures if it is too fast", async () => {
    const page = await openPage();
    const file = { name: "drive.asi", mimeType: "", buffer: await recordingOf(600, 100, 20) };
    await choose(page, file);
    await page.getByText("600 samples (59.9 s) faster than 45.0 km/h are not in the figures.").waitFor();
    // "Compare" now has the first file input of the page
    await choose(page, fixturePath("damaged/bad-checksums.asi"));
    const rows = page.locator("table.comparison tbody tr");
    await rows.filter({ hasText: "Is the sport correct?" }).first().waitFor();
    await rows.filter({ hasText: /Damaged: .* % of the file cannot be read/ }).waitFor();
    expect(await rows.count()).toBe(2);
    const ride = readFileSync(fixturePath("valid/edges.fit"));
    await choose(page, { name: "ride.fit", mimeType: "", buffer: ride.subarray(0, ride.length - 200) });
    await rows.filter({ hasText: /Damaged: nothing after \d\d:\d\d:\d\d can be read/ }).waitFor();
  });
});

describe.skipIf(hasNoBrowser)("the cards of the figures", () => {
  useBrowser();

  it.for([1280, 360])("are wide enough for their values in a window of %d pixels", async (width) => {
    const page = await openPage({ viewport: { width, height: 800 } });
    await choose(page, { name: "long.asi", mimeType: "", buffer: await recordingOf(5461, 1000, 3) });
    await page.getByText("1 h 31 min").first().waitFor();
    const cut = await page
      .locator(".cards dd")
      .evaluateAll(
        (values) => values.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      );
    expect(cut).toBe(0);
  });
});
