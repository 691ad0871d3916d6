import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { decodeBeats, decodeSync, encode, inspectSync } from "asi-convert";
import { beatsBetween, computeMetrics, heartRateVariability, LF_HF_CAUTION } from "asi-convert/metrics";
import { describe, expect, it } from "vitest";
import { fixturePath } from "./fixtures.js";
import { card, choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

/** Returns columns of a golden CSV, as texts. */
function golden(name: string): Record<string, string[]> {
  const [header = "", ...lines] = readFileSync(fixturePath(name), "utf8").trimEnd().split("\n");
  const rows = lines.map((line) => line.split(","));
  return Object.fromEntries(
    header.split(",").map((column, at) => [column, rows.map((row) => row[at] ?? "")]),
  );
}

async function arrayOf<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

describe.skipIf(hasNoBrowser)("a recording in the viewer", () => {
  useBrowser();

  it("has the figures of asi-convert/metrics, decoded by the fast engine, and explains why its maximum speed differs from the fastest row", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    // this works under the content security policy of the page
    expect(await page.locator("[data-engine]").getAttribute("data-engine")).toBe("simd");
    const { samples } = decodeSync(readFileSync(fixturePath("valid/match-hr.asi")));
    const metrics = computeMetrics(samples);
    const kmh = (speed: number | null) => `${((speed ?? 0) * 3.6).toFixed(1)} km/h`;
    await expect.poll(() => card(page, "Max speed")).toBe(kmh(metrics.max_speed));
    expect(await card(page, "Mean speed")).toBe(kmh(metrics.average_speed));
    expect(await card(page, "Max HR")).toBe(`${metrics.hr_max} bpm`);
    expect(await card(page, "Mean HR")).toBe(`${metrics.hr_avg?.toFixed(0)} bpm`);
    await page.getByText(`Sprints: ${metrics.sprint.threshold_1.values.length}`).waitFor();
    const inWords = ({ threshold_1, threshold_2 }: typeof metrics.accelerations) =>
      `${threshold_1.values.length} of 2 to 3 m/s², ${threshold_2.values.length} from 3 m/s²`;
    const { accelerations, decelerations } = metrics;
    await page
      .getByText(`Accelerations: ${inWords(accelerations)}. Decelerations: ${inWords(decelerations)}.`)
      .waitFor();
    await page.getByText("Speed zones: Football.").waitFor();

    const fastest = Math.max(...(golden("valid/match-hr.csv").speed?.map(Number) ?? []));
    const words = "median of itself and its two neighbours";
    expect(readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8")).toContain(words);
    const shown = page.locator(".card", { has: page.getByText("Max speed", { exact: true }) });
    await expect.poll(() => shown.innerText()).toMatch(/\d/);
    expect(Number.parseFloat(await card(page, "Max speed"))).toBeLessThan(fastest * 3.6);
    expect(await shown.getAttribute("title")).toContain(words);
    // users whose pointer cannot hover also find it
    await page.locator(".panel .note", { hasText: words }).waitFor();
  });

  it("has heart rate zones as soon as a maximum is entered, and does not change incomplete input", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    const maximum = page.getByLabel("Maximum heart rate of the athlete");
    const zones = page.locator(".panel", { has: maximum });
    await maximum.pressSequentially("190");
    await zones.getByText("171–190").waitFor();
    await maximum.press("Backspace");
    // longer than the page waits for the next key
    await page.waitForTimeout(1000);
    expect(await maximum.inputValue()).toBe("19");
    await zones.getByText("171–190").waitFor();
    await maximum.pressSequentially("9");
    await zones.getByText("179–199").waitFor();
    await maximum.fill("200");
    await maximum.press("Enter");
    await zones.getByText("180–200").waitFor();
    await maximum.fill("");
    await zones.getByText("Enter it, from 60 to 240").waitFor();
  });

  it("has the speed zones of a person as soon as a maximum speed is entered, and the fixed zones otherwise", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    const maximum = page.getByLabel("Maximum speed of the athlete");
    const panel = page.locator(".panel", { has: maximum });
    const classes = () => panel.locator("tbody th").allInnerTexts();
    await panel.getByText("Speed zones: Football.").waitFor();
    const fixed = await classes();
    expect(fixed).toHaveLength(5);
    await maximum.fill("30");
    await maximum.press("Enter");
    await expect.poll(classes).toEqual(["0–18", "18–24", "24–27", "27+"]);
    await panel
      .getByText("Speed zones: 60, 80 and 90 % of the maximum speed. Sprints start at 80 %")
      .waitFor();
    await maximum.fill("");
    await expect.poll(classes).toEqual(fixed);
  });

  it("has no accelerations if its rate is too low, and explains this only there", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/ublox7.asi"));
    await page.getByText("Not all are known. They require at least 5 samples per second.").waitFor();
    const rows = Array.from({ length: 200 }, (_, i) => ({
      timestamp: Date.UTC(2025, 4, 17) + i * 100,
      latitude: 47.37,
      longitude: 8.55,
      altitude: 400,
      speed: 2,
      hr: null,
    }));
    const steady = encode(rows, { serial: "T-1", deviceName: "tracker", deviceType: "T1" });
    const buffer = Buffer.from(await new Response(steady as BodyInit).arrayBuffer());
    await page.setInputFiles("input[type=file]:not([webkitdirectory]) >> nth=-1", {
      name: "steady.asi",
      mimeType: "",
      buffer,
    });
    const panel = page.locator(".panel", { hasText: "Accelerations and decelerations: 0" });
    await panel.getByText("None in the shown time.", { exact: true }).waitFor();
  });

  it("offers no choice of time zones if the time zone of the browser is UTC", async () => {
    const page = await openPage({ timezoneId: "UTC" });
    await page.getByText("Settings", { exact: true }).click();
    const row = page.locator(".menu-row", { hasText: "Times" });
    expect((await row.innerText()).replace(/\s+/g, " ")).toBe("Times UTC");
    expect(await row.getByRole("button").count()).toBe(0);
  });

  it("has the values of the CSV at the cursor, in UTC and in the zone of the browser, with one cursor for map and plots", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    const columns = golden("valid/match-hr.csv");
    const slider = page.getByRole("slider", { name: "Cursor over the plots" });
    // the cursor starts at a sample
    await slider.press("ArrowRight");
    const beginning = Number(await slider.getAttribute("aria-valuenow"));
    expect(columns.timestamp?.map((seconds) => Math.round(Number(seconds) * 1000))).toContain(beginning);
    await slider.press("Home");
    const first = new Date(Number(columns.timestamp?.[0]) * 1000);
    const speed = (Number(columns.speed?.[0]) * 3.6).toFixed(1);
    const altitude = Number(columns.altitude?.[0]).toFixed(1);
    const spoken = async () => (await slider.getAttribute("aria-valuetext")) ?? "";
    expect(await spoken()).toContain(`Speed ${speed} km/h`);
    expect(await spoken()).toContain(`Altitude ${altitude} m`);
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "UTC" }).click();
    await expect.poll(spoken).toContain(`Time ${first.toISOString().slice(11, 21)}`);
    await page.getByRole("button", { name: "Europe/Zurich" }).click();
    const zoned = first.toLocaleTimeString("en-GB", { timeZone: "Europe/Zurich" });
    await expect.poll(spoken).toContain(`Time ${zoned}`);
    await page.keyboard.press("Escape");

    // the map has the same cursor
    await slider.press("Home");
    const marker = await page.locator(".marker").boundingBox();
    if (marker === null) throw new Error("There is no marker on the map.");
    await slider.press("End");
    expect(await page.locator(".marker").boundingBox()).not.toEqual(marker);
    await page.mouse.move(marker.x + marker.width / 2, marker.y + marker.height / 2);
    const distance = async () => Math.abs(((await page.locator(".marker").boundingBox())?.x ?? 0) - marker.x);
    await expect.poll(distance).toBeLessThan(3);
  });

  it("downloads the CSV of the library, for all rows and for the part selected by drag, wheel and keys", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    const recorded = () => card(page, "Recorded");
    await expect.poll(recorded).not.toBe("–");
    const whole = await recorded();
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return { fileName: download.suggestedFilename(), text: await text(await download.createReadStream()) };
    };
    const all = readFileSync(fixturePath("valid/match-hr.csv"), "utf8");
    expect((await save("CSV")).text).toBe(all);
    await page.getByRole("button", { name: "Zoom in on the plots" }).click();
    const part = (await save("CSV")).text.trimEnd().split("\n");
    expect(part.length).toBeLessThan(all.split("\n").length * 0.6);
    expect(all).toContain(part.slice(1).join("\n"));
    expect((await save("GPX")).text).toContain("<gpx");

    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(recorded).toBe(whole);
    const slider = page.getByRole("slider", { name: "Cursor over the plots" });
    const box = await slider.boundingBox();
    if (box === null) throw new Error("The plots have no place.");
    await page.mouse.move(box.x + 200, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.up();
    await expect.poll(recorded).not.toBe(whole);
    await slider.press("Escape");
    await expect.poll(recorded).toBe(whole);
    await page.mouse.wheel(0, -600);
    await expect.poll(recorded).not.toBe(whole);
    await slider.press("Escape");
    await expect.poll(recorded).toBe(whole);
    for (const key of ["Home", ...Array<string>(40).fill("Shift+ArrowRight"), "Enter"])
      await slider.press(key);
    await expect.poll(recorded).not.toBe(whole);
  });

  it("shows the same rows for a GPX file, a CSV and the recording", async () => {
    const page = await openPage();
    for (const name of ["edges.gpx", "edges.tcx", "edges.csv"]) {
      await page.setInputFiles(
        "input[type=file]:not([webkitdirectory]) >> nth=-1",
        fixturePath(`valid/${name}`),
      );
      await page.locator(".facts").getByText(name).waitFor();
      const rows = golden("valid/edges.csv").timestamp?.length;
      expect(await page.locator(".facts div", { hasText: "Size" }).innerText()).toContain(`${rows} samples`);
    }
  });

  it("closes with Back and opens again with Forward, without loss", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    const recorded = () => card(page, "Recorded");
    await expect.poll(recorded).toBe("12:00 min");
    await page.getByRole("button", { name: "Zoom in on the plots" }).click();
    await expect.poll(recorded).toBe("2:30 min");
    const start = page.getByRole("heading", { name: "See a session" });
    await page.goBack();
    await start.waitFor();
    await expect.poll(() => page.title()).toBe("asi viewer");
    await page.goForward();
    await expect.poll(recorded).toBe("2:30 min");
    await page.goBack();
    await page.getByRole("button", { name: /^Show .+ again$/ }).click();
    await expect.poll(recorded).toBe("2:30 min");

    // files from the start view replace the open ones, in a new history entry
    await page.goBack();
    await start.waitFor();
    await page.setInputFiles("input[type=file] >> nth=0", fixturePath("valid/ublox7.asi"));
    await page.locator(".facts").getByText("ublox7.asi").waitFor();
    await page.setInputFiles("[data-adding=true]", fixturePath("valid/run-fix-loss.asi"));
    await page.locator(".comparison tbody tr").nth(1).waitFor();
    await page.goBack();
    await start.waitFor();
  });

  it("shows the extent and the places of damage", async () => {
    const page = await openPage();
    await choose(page, fixturePath("damaged/bad-checksums.asi"));
    const { report } = JSON.parse(readFileSync(fixturePath("damaged/bad-checksums.json"), "utf8"));
    const damaged = page.locator(".panel", { hasText: "Damaged" });
    const share = ((report.bytes.skipped / report.bytes.total) * 100).toFixed(2);
    await damaged.getByText(`${share} % of the file cannot be read`).waitFor();
    // details for engineers are behind a heading
    expect(await damaged.getByText("Frames with a wrong checksum").isVisible()).toBe(false);
    await damaged.getByText("Technical details").click();
    await damaged.getByText("Frames with a wrong checksum").waitFor();
    const fact = (name: string) => page.locator(".facts div", { hasText: name }).innerText();
    expect(await fact("wrong checksum")).toContain(String(report.damage.badChecksums));
    expect(await fact("Bytes skipped")).toContain(report.bytes.skipped.toLocaleString("en-GB"));
    const places = page.getByRole("region", { name: "Damaged places" }).locator("tbody tr");
    await expect.poll(() => places.count()).toBeGreaterThan(0);
    const counts = await places.locator("td:nth-of-type(1)").allInnerTexts();
    expect(counts.reduce((sum, text) => sum + Number(text), 0)).toBe(report.damage.badChecksums);
  });

  it("marks the place of damage in a FIT file on the time axis", async () => {
    const page = await openPage();
    const buffer = readFileSync(fixturePath("valid/edges.fit")).subarray(0, -200);
    await choose(page, { name: "ride.fit", mimeType: "", buffer });
    await page.locator(".overview .mark").waitFor();
  });

  it("computes the heart-rate variability in the visible part, like `asi stats --hrv --from --to`", async () => {
    const page = await openPage();
    const file = fixturePath("valid/match-ecg.asi");
    await choose(page, file);
    await page.getByRole("button", { name: "ECG and beats" }).click();
    const region = page.getByRole("region", { name: "Heart-rate variability" });
    const fact = (name: string) => region.locator(".facts div", { hasText: name }).locator("dd");
    const batches = await arrayOf(decodeBeats(readFileSync(file)));
    const whole = heartRateVariability(batches, { atRest: true });
    const oneDecimal = (value: number | null) => (value ?? Number.NaN).toFixed(1);
    await expect.poll(() => fact("RMSSD").innerText()).toBe(`${oneDecimal(whole.rmssd)} ms`);
    expect(await fact("SDNN").innerText()).toBe(`${oneDecimal(whole.sdnn)} ms`);
    expect(await fact("pNN50").innerText()).toBe(`${oneDecimal(whole.pnn50)} %`);
    expect(await fact("Artefacts").innerText()).toContain(`${oneDecimal(whole.artefacts_percent)} %`);
    const alphas = whole.dfa_alpha1.flatMap(({ alpha1 }) => alpha1 ?? []);
    const [least, most] = [Math.min(...alphas), Math.max(...alphas)].map((alpha) =>
      (Math.round(alpha * 100) / 100).toFixed(2),
    );
    expect(await fact("DFA").innerText()).toContain(`${least} to ${most}`);
    await page.getByRole("region", { name: "DFA α1" }).locator("canvas").waitFor();

    // LF and HF require rest, and come with a warning
    expect(await fact("LF").count()).toBe(0);
    await region.getByLabel("The athlete was at rest").check();
    await fact("LF").waitFor();
    await region.getByText(LF_HF_CAUTION).waitFor();

    await page.getByRole("region", { name: "Beats" }).getByRole("button").nth(50).click();
    const ms = batches[0]?.timestampMs[50] ?? 0;
    const part = heartRateVariability(batches.map((batch) => beatsBetween(batch, ms - 3000, ms + 3000)));
    await expect.poll(() => fact("RR intervals").innerText()).toBe(String(part.intervals));
    expect(await fact("RMSSD").innerText()).toBe("–");
  });

  it("shows waveform, beats and RR intervals of a recording that has them, and no panels for others", async () => {
    const page = await openPage();
    const file = fixturePath("valid/match-ecg.asi");
    await choose(page, file);
    const { ecg } = inspectSync(readFileSync(file));
    const toggle = page.getByRole("button", { name: "ECG and beats" });
    await toggle.click();
    const fact = (name: string) => page.locator(".facts div", { hasText: name }).innerText();
    expect(await fact("Signal with a heart rate")).toContain(`${((ecg?.usable ?? 0) * 100).toFixed(1)} %`);
    const beats: number[] = [];
    const rrs: number[] = [];
    for await (const { timestampMs, rrMs } of decodeBeats(readFileSync(file))) {
      beats.push(...timestampMs);
      rrs.push(...rrMs);
    }
    await page.getByText(`Beats in the shown time: ${beats.length.toLocaleString("en-GB")}`).waitFor();
    // the plot shows the 51st beat of the list with the waveform around it
    const region = page.getByRole("region", { name: "Beats" });
    await region.getByRole("button").nth(50).click();
    const around = beats.filter((ms) => Math.abs(ms - (beats[50] ?? 0)) <= 3000);
    await page.getByText(`Beats in the shown time: ${around.length}`, { exact: true }).waitFor();
    const slider = page.getByRole("slider", { name: "Cursor over the plots" });
    await expect
      .poll(() => slider.getAttribute("aria-valuetext"))
      .toContain(`RR interval ${Math.round(rrs[50] ?? 0)} ms`);
    await page.getByRole("region", { name: "ECG" }).locator("canvas").waitFor();
    await toggle.click();
    expect(await page.getByRole("region", { name: "ECG" }).count()).toBe(0);
    await page.setInputFiles(
      "input[type=file]:not([webkitdirectory]) >> nth=-1",
      fixturePath("valid/match-hr.asi"),
    );
    await page.locator(".facts").getByText("match-hr.asi").waitFor();
    expect(await toggle.count()).toBe(0);
  });
});
