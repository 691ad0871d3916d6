import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));

export const SQUAD_TARGETS = { tableMs: 4000, brushMs: 300 };

export interface SquadTimes {
  /** Time from the selection of the files to the table of all figures. */
  tableMs: number;
  /** Time from the end of a drag over the clock to the figures of the selected period. */
  brushMs: number;
}

/** Writes a match of 25 players with 26 recordings, 2.1 million rows, a roster and periods. */
export function writeMatch(folder: string): string[] {
  try {
    execFileSync(process.execPath, [ASI, "encode", "--demo", "--squad", "25", "-o", folder], {
      stdio: "pipe",
    });
  } catch (error) {
    // one recording of the match is damaged
    if ((error as { status: number }).status !== 3) throw error;
  }
  return readdirSync(folder).map((name) => join(folder, name));
}

export async function measureSquad(browser: Browser, address: string, files: string[]): Promise<SquadTimes> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.waitForSelector("input[type=file]", { state: "attached" });
  await page.evaluate(() =>
    document.addEventListener("change", () => performance.mark("begun"), { capture: true }),
  );
  await page.setInputFiles("input[type=file] >> nth=0", files);
  const tableMs = await sinceBegun(page, '.squad[aria-busy="false"] .squad-table [aria-sort]');
  // the browser stores the files in the meantime
  await page.getByText(/^Kept in this browser/).waitFor();
  const box = await page.locator(".clock-slider").boundingBox();
  if (box === null) throw new Error("There is no clock.");
  const at = (share: number) => [box.x + share * box.width, box.y + 40] as const;
  await page.mouse.move(...at(0.3));
  await page.mouse.down();
  await page.mouse.move(...at(0.4));
  await page.mouse.move(...at(0.6));
  await page.evaluate(() => performance.mark("begun"));
  await page.mouse.up();
  const brushMs = await sinceBegun(page, '.squad[aria-busy="false"] .squad-table');
  await page.close();
  return { tableMs, brushMs };
}

/** Waits until an element is in the page and drawn. Returns the time since the last mark, ms. */
async function sinceBegun(page: Page, selector: string): Promise<number> {
  const passed = await page.waitForFunction(
    (wanted) => {
      const begun = performance.getEntriesByName("begun").at(-1)?.startTime ?? 0;
      return document.querySelector(wanted) === null ? null : performance.now() - begun;
    },
    selector,
    { polling: "raf", timeout: 120_000 },
  );
  return (await passed.jsonValue()) ?? Number.NaN;
}
