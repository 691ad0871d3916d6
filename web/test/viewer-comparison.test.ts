import { encode } from "asi-convert";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

describe.skipIf(hasNoBrowser)("a recording in the viewer", () => {
  useBrowser();

  it("shows a demonstration without a file as a comparison of several players", async () => {
    const compared = await openPage();
    await compared.getByRole("button", { name: "Compare three players" }).click();
    const rows = compared.locator(".comparison tbody tr");
    await expect.poll(() => rows.count()).toBe(3);
    // table, map and plots with their time axis fit on the screen of a laptop
    const stage = await compared.locator(".stage").boundingBox();
    expect((stage?.y ?? 0) + (stage?.height ?? Number.NaN)).toBeLessThanOrEqual(900);
    // all figures of a table are visible on a tablet
    await compared.setViewportSize({ width: 768, height: 900 });
    const table = compared.locator(".scrolled:has(.comparison)");
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await compared.getByRole("button", { name: "Close Demo player 2" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await compared.getByRole("button", { name: "Distance", exact: true }).click();
    const first = compared.locator(".comparison tbody tr").first().locator("td").nth(1);
    await expect.poll(async () => Number((await first.innerText()).replace(/\D/g, ""))).toBeGreaterThan(5000);
    const whole = compared.getByRole("slider", { name: "Cursor over the plots" });
    await expect
      .poll(async () => {
        await whole.press("End");
        return whole.getAttribute("aria-valuetext");
      })
      .toMatch(/^Distance \d+\.\d\d km/);
    await compared.getByRole("button", { name: "From start" }).click();
    const slider = compared.getByRole("slider", { name: "Cursor over the plots" });
    // the plots over the distance may still be visible at the first click
    await expect
      .poll(async () => {
        await slider.press("Home");
        return slider.getAttribute("aria-valuetext");
      })
      .toContain("From start 0:00");
  });

  it("reports which recording to add if a recording is compared with itself", async () => {
    const page = await openPage();
    const file = fixturePath("valid/match-hr.asi");
    await choose(page, [file, file]);
    await page.getByText("These are copies of one recording, so nothing differs.").waitFor();
    await page
      .getByRole("button", { name: /^Close / })
      .first()
      .click();
    await page.locator(".cards").waitFor();
    await page.setInputFiles("[data-adding=true]", fixturePath("valid/run-fix-loss.asi"));
    await page.getByText("The difference from the first recording is below each figure.").waitFor();
  });

  it("shows one place of recordings that are too far apart for one map, and the others on request", async () => {
    const walk = async (name: string, latitude: number, longitude: number) => {
      const rows = Array.from({ length: 200 }, (_, i) => ({
        timestamp: Date.UTC(2025, 4, 17) + i * 100,
        latitude,
        longitude: longitude + i * 1e-5,
        altitude: 400,
        speed: 8,
        hr: null,
      }));
      const stream = encode(rows, { serial: name, deviceName: name, deviceType: "T1" });
      const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
      return { name: `${name}.asi`, mimeType: "", buffer };
    };
    const files = [await walk("Zurich", 47.37, 8.55), await walk("Oslo", 59.91, 10.75)];
    const page = await openPage();
    await choose(page, files);
    const place = page.getByLabel("Too far apart for one map.");
    expect(await place.locator("option").allInnerTexts()).toEqual(["Zurich", "Oslo"]);
    /** Returns the number of map pixels in the colours of tracks. */
    const drawn = () =>
      page.locator(".map canvas").evaluate((map: HTMLCanvasElement) => {
        const { width, height } = map;
        const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
        copy?.drawImage(map, 0, 0);
        const counts: Record<string, number> = {};
        const { data = [] } = copy?.getImageData(0, 0, width, height) ?? {};
        for (let at = 0; at < data.length; at += 4) {
          const colour = data.slice(at, at + 3).join();
          if ((data[at + 3] ?? 0) > 100) counts[colour] = (counts[colour] ?? 0) + 1;
        }
        return counts;
      });
    // on a separate map, the walk is a line and not a dot
    const linesOf = (counts: Record<string, number>) => Object.entries(counts).filter(([, n]) => n > 300);
    await expect.poll(async () => linesOf(await drawn()).length).toBe(1);
    const [[zurich] = []] = linesOf(await drawn());
    await place.selectOption("Oslo");
    await expect.poll(async () => linesOf(await drawn()).some(([colour]) => colour !== zurich)).toBe(true);
    expect(linesOf(await drawn())).toHaveLength(1);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Close Oslo" }).click();
    await page.locator(".cards").waitFor();
    expect(await place.count()).toBe(0);
  });
});
