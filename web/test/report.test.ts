import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { decodeSync, inspectSync } from "asi-convert";
import { computeMetrics, METABOLIC_CAUTION, metabolicEstimate, peakDemands } from "asi-convert/metrics";
import { packSamples, toBase64 } from "asi-convert/packed";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixturePath } from "./fixtures.js";
import { card, hasNoBrowser, openPage, useBrowser } from "./page.js";

const TEMPLATE = fileURLToPath(new URL("../../dist/report.html", import.meta.url));

describe.skipIf(hasNoBrowser)("a report opened as a file", () => {
  useBrowser();
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "asi-report-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes the report of a fixture (docs/report-file.md). Returns its address. */
  function report(name: string, change: object = {}): string {
    const recording = readFileSync(fixturePath(name));
    const { samples } = decodeSync(recording);
    const data = {
      version: 1,
      name,
      inspection: inspectSync(recording),
      metrics: { preset: "soccer", params: {} },
      samples: toBase64(packSamples(samples)),
      ...change,
    };
    const json = JSON.stringify(data).replace(
      /[<>&]|[^ -~]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const html = readFileSync(TEMPLATE, "utf8");
    expect(html.split("<!-- asi-recording -->")).toHaveLength(2);
    const path = join(folder, "report.html");
    writeFileSync(
      path,
      html.replace(
        "<!-- asi-recording -->",
        () => `<script type="application/json" id="asi-recording">${json}</script>`,
      ),
    );
    return pathToFileURL(path).href;
  }

  it("shows figures, map and plots without a request", async () => {
    const page = await openPage({ at: report("valid/match-hr.asi") });
    const { samples } = decodeSync(readFileSync(fixturePath("valid/match-hr.asi")));
    const { max_speed } = computeMetrics(samples);
    await expect.poll(() => card(page, "Max speed")).toBe(`${((max_speed ?? 0) * 3.6).toFixed(1)} km/h`);
    await page.waitForFunction(() => performance.getEntriesByName("map-drawn").length > 0);
    expect(await page.locator(".plot canvas").count()).toBe(3);
    expect(await page.getByRole("button", { name: "CSV" }).count()).toBe(0);
  });

  it("has the zones and thresholds of the command", async () => {
    const params = { speed_ranges: [0, 3, 5], sprint_threshold: 5, max_hr: 190 };
    const metrics = { preset: "soccer", params };
    const page = await openPage({ at: report("valid/match-hr.asi", { metrics }) });
    const { samples } = decodeSync(readFileSync(fixturePath("valid/match-hr.asi")));
    const { sprint } = computeMetrics(samples, { params });
    await page.getByText(`Sprints: ${sprint.threshold_1.values.length}`, { exact: true }).waitFor();
    const zones = page.locator(".panel", { hasText: "Speed zones: those of this report." });
    expect(await zones.locator("tbody th").allInnerTexts()).toEqual(["0–10.8", "10.8–18", "18+"]);
    await page.getByText("Settings", { exact: true }).click();
    await page.getByLabel("Sport").selectOption("running");
    await page.getByText("Speed zones: Running.").waitFor();
  });

  it("says that only the first damaged place is listed if there are more", async () => {
    for (const [name, count] of [
      ["damaged/torn-frames.asi", 1],
      ["damaged/foreign-header-broken.asi", 0],
    ] as const) {
      const page = await openPage({ at: report(name) });
      await page.getByRole("region", { name: "Damaged places" }).waitFor();
      expect(await page.getByText("The first is listed.").count(), name).toBe(count);
    }
  });

  it("contains the peak demands with their passages, and the optional figures", async () => {
    const page = await openPage({ at: report("valid/match-hr.asi") });
    const { samples } = decodeSync(readFileSync(fixturePath("valid/match-hr.asi")));
    const [first] = peakDemands(samples).peaks.distance;
    await page.getByText("Peak demands", { exact: true }).click();
    const [row, button] = [
      page.getByRole("row", { name: /^1 s / }),
      page.getByRole("button", { name: /^Show the 1 s/ }),
    ];
    expect(await row.innerText()).toContain(((first?.value ?? 0) * 60).toFixed(1));
    await button.click();
    await expect.poll(() => card(page, "Distance")).toBe(`${first?.value?.toFixed(0)} m`);
    // the report also contains the optional figures
    await page.getByText("Acceleration-speed profile", { exact: true }).click();
    await page.getByText("There is no profile: R2 0.4556; at least 0.9 is needed.").waitFor();
    await page.getByRole("img", { name: /points of acceleration by speed$/ }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByText("Metabolic power (estimate)", { exact: true }).click();
    await page.getByText(`${metabolicEstimate(samples).energy?.toFixed(2)} kJ/kg`).waitFor();
    await page.getByText(METABOLIC_CAUTION).waitFor();
    await page.getByText("Standard runs (experimental)", { exact: true }).click();
    await page.getByText("There are none. A standard run is").waitFor();
  });

  it("prints figures and pictures on one page of A4, and whole tables on the following pages", async () => {
    const page = await openPage({ at: report("valid/match-hr.asi") });
    await page.waitForFunction(() => performance.getEntriesByName("map-drawn").length > 0);
    await page.getByText("Accelerations and decelerations: 126").waitFor();
    const pages = async () => {
      const pdf = await page.pdf({ format: "A4", printBackground: true });
      return pdf.toString("latin1").match(/\/Type \/Page\b/g)?.length;
    };
    expect(await pages()).toBeGreaterThan(1);
    await page.emulateMedia({ media: "print" });
    const list = page.getByRole("region", { name: "Accelerations and decelerations" });
    const seen = await list
      .locator("tbody tr")
      .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().height > 0).length);
    expect(seen).toBe(126);
    // Tables are printed. Empty fields and a panel that waits for an input are not.
    const heights = (title: string) =>
      page
        .locator(".panel", { has: page.getByRole("heading", { name: title, includeHidden: true }) })
        .locator("tbody tr, input")
        .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height > 0).length);
    expect([await heights("By speed"), await heights("Heart rate zones")]).toEqual([5, 0]);
    expect(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
    await page.locator(".details").evaluate((details) => details.remove());
    expect(await pages()).toBe(1);
  });

  it("prints black on white with any theme on the screen", async () => {
    const page = await openPage({ at: report("valid/match-hr.asi"), colorScheme: "dark" });
    await page.getByText("Accelerations and decelerations: 126").waitFor();
    /** Returns the red values of the text and of the background, which define how light a grey is. */
    const reds = () =>
      page
        .locator(".card")
        .first()
        .evaluate((card) => {
          const { color, backgroundColor } = getComputedStyle(card);
          return [color, backgroundColor].map((text) => Number(/\d+/.exec(text)?.[0]));
        });
    const [onScreen = 0, behind = 0] = await reds();
    expect(onScreen).toBeGreaterThan(behind + 100);
    await page.emulateMedia({ media: "print" });
    expect((await reds())[0]).toBeLessThan(100);
    expect((await reds())[1]).toBe(255);
  });

  it("shows any text from the recording as text", async () => {
    const name = "</script><img src=x onerror=alert(1)>";
    const page = await openPage({ at: report("valid/match-hr.asi", { name }) });
    await page.locator(".brand", { hasText: name }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
  });

  it("reports missing data and data of a different version", async () => {
    const newer = await openPage({ at: report("valid/match-hr.asi", { version: 2 }) });
    await newer.getByText("data of version 2").waitFor();
    const empty = await openPage({ at: pathToFileURL(TEMPLATE).href });
    await empty.getByText("contains no recording").waitFor();
  });
});
