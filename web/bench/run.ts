import { createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { demoRows, encode } from "asi-convert";
import { type Browser, chromium } from "playwright-core";
import { findBrowser, NO_BROWSER } from "../test/find-browser.js";
import { launchOptions } from "../test/launch.js";
import { servePage } from "../test/serve.js";
import { measureSquad, SQUAD_TARGETS, type SquadTimes, writeMatch } from "./squad.js";

// Measures how fast the page shows recordings in a real browser. Run it with: npm run bench -w asi-web

const ROUNDS = 5;
const CASES = [
  { rows: 72_000, plotTargetMs: 150, mapTargetMs: 600 },
  { rows: 1_500_000, plotTargetMs: 600, mapTargetMs: 2500 },
];
const PERIOD_MS = 100;
const FRAME_TARGET_MS = 8;

async function writeSession(path: string, rows: number): Promise<void> {
  // Sessions of less than 45 minutes have no break, so their number determines the number of rows.
  function* all() {
    const each = 24_000;
    for (let first = 0; first < rows; first += each) {
      const count = Math.min(each, rows - first);
      const startMs = Date.UTC(2025, 4, 17, 14) + first * PERIOD_MS;
      yield* demoRows({ seed: first, startMs, durationMs: (count - 1) * PERIOD_MS });
    }
  }
  const stream = encode(all(), { serial: "BENCH" });
  await pipeline(Readable.fromWeb(stream as never), createWriteStream(path));
}

interface Times {
  plotMs: number;
  mapMs: number;
  /** Script time in each frame while the cursor moves over plots and map, ms. */
  cursorMs: number;
  /** Peak memory of the tab's process, including its worker and WebAssembly. NaN if the system does not report it. */
  peakMb: number;
}

/** Reads the peak resident memory of a tab from its process (proc_pid_status(5)). */
async function peakOfTabs(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      try {
        return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]) / 1000;
      } catch {
        return Number.NaN;
      }
    });
  return Math.max(...peaks);
}

async function measure(browser: Browser, address: string, path: string): Promise<Times> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.waitForSelector("input[type=file]", { state: "attached" });
  await page.evaluate(() => {
    document.addEventListener("change", () => performance.mark("chosen"), { capture: true });
    new MutationObserver(() => {
      if (document.querySelector(".plot canvas") === null) return;
      if (performance.getEntriesByName("plot-drawn").length === 0) {
        requestAnimationFrame(() => performance.mark("plot-drawn"));
      }
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.setInputFiles("input[type=file] >> nth=0", path);
  await page.waitForFunction(
    () => ["map-drawn", "plot-drawn"].every((name) => performance.getEntriesByName(name).length > 0),
    null,
    { timeout: 120_000 },
  );
  const since = async (name: string) => {
    const times = await page.evaluate(
      (marks) => marks.map((mark) => performance.getEntriesByName(mark)[0]?.startTime),
      ["chosen", name],
    );
    return (times[1] ?? Number.NaN) - (times[0] ?? Number.NaN);
  };
  const [plotMs, mapMs] = [await since("plot-drawn"), await since("map-drawn")];
  const slider = await page.getByRole("slider").boundingBox();
  if (slider === null) throw new Error("There are no plots.");
  await page.waitForTimeout(1500);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const scriptS = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN;
  };
  const before = await scriptS();
  const moves = 60;
  for (let i = 0; i < moves; i++) {
    await page.mouse.move(slider.x + 60 + (i * (slider.width - 120)) / moves, slider.y + 80);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  const cursorMs = (((await scriptS()) - before) * 1000) / moves;
  const peakMb = await peakOfTabs(browser);
  await page.close();
  return { plotMs, mapMs, cursorMs, peakMb };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const found = findBrowser();
if (found === null) throw new Error(NO_BROWSER);
const folder = await mkdtemp(join(tmpdir(), "asi-web-bench-"));
const served = await servePage();
const browser = await chromium.launch(launchOptions(found));
try {
  const empty = await browser.newPage();
  await empty.goto(served.address);
  console.log(`A tab without a recording: ${(await peakOfTabs(browser)).toFixed(0)} MB at most.`);
  await empty.close();
  console.log("rows        first plot     first map      script per frame  peak memory of the tab, MB");
  for (const { rows, plotTargetMs, mapTargetMs } of CASES) {
    const path = join(folder, `${rows}.asi`);
    await writeSession(path, rows);
    const times: Times[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await measure(browser, served.address, path));
    const of = (name: keyof Times) => median(times.map((one) => one[name]));
    const shown = (ms: number, target: number) => `${ms.toFixed(ms < 100 ? 1 : 0)} (${target})`.padEnd(15);
    console.log(
      String(rows).padEnd(12) +
        shown(of("plotMs"), plotTargetMs) +
        shown(of("mapMs"), mapTargetMs) +
        shown(of("cursorMs"), FRAME_TARGET_MS).padEnd(18) +
        of("peakMb").toFixed(0),
    );
  }
  const match = writeMatch(join(folder, "match"));
  const times: SquadTimes[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measureSquad(browser, served.address, match));
  for (const [name, key] of [
    ["files of a squad to the table", "tableMs"],
    ["figures of the dragged period", "brushMs"],
  ] as const) {
    const ms = median(times.map((one) => one[key]));
    console.log(`${name}: ${ms.toFixed(0)} (${SQUAD_TARGETS[key]})`);
  }
  console.log(
    `Medians of ${ROUNDS} rounds, times in ms; targets in brackets. Browser: ${browser.version()}.`,
  );
} finally {
  await browser.close();
  await served.close();
  await rm(folder, { recursive: true, force: true });
}
