/** Tests of the live view of a running session. */
import { unwrap } from "asi-client";
import { demoRows } from "asi-convert";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { recording } from "./device-scene.js";
import { hasNoBrowser, useBrowser } from "./page.js";
import { showView } from "./service.js";
import { type SquadScene, squadScene } from "./session-scene.js";
import { service } from "./shared-service.js";
import { openSignedIn } from "./signed-in.js";

let scene: SquadScene;
let session: number;

const SECOND_MS = 1000;
const rows = (page: Page) => page.locator(".live-columns tbody tr");
const rowOf = (page: Page, player: string) => rows(page).filter({ hasText: player });

/** Stops the clocks of a page. Values then do not become old on a slow machine. */
async function stopClocks(page: Page, ms: number): Promise<void> {
  await page.clock.setFixedTime(ms);
  await page.evaluate(() => {
    const stoppedMs = performance.now();
    performance.now = () => stoppedMs;
  });
}

/** Uploads 20 seconds of a player. @returns the time of the last sample, ms since 1970 UTC */
async function send(player: number, startMs: number): Promise<number> {
  const rows = [...demoRows({ seed: player + 1, startMs, durationMs: 20 * SECOND_MS })];
  const { buffer } = await recording(scene.serials[player] ?? "", rows);
  const [stored] = await scene.client.uploadRecordings([new Blob([new Uint8Array(buffer)])]);
  await scene.client.waitForJob(stored?.job?.job_id ?? "", { intervalMs: 50 });
  return rows.at(-1)?.timestamp ?? 0;
}

/** Number of cases that have begun. */
let cases = 0;

describe.skipIf(hasNoBrowser)("a running session", () => {
  useBrowser();
  beforeAll(async () => {
    scene = await squadScene(service, "livia", ["Keller", "Meier"]);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const body = {
      name: "Training now",
      squad: scene.squad,
      kind: "training" as const,
      sport: "soccer" as const,
      start_time: at(-3_600_000),
      end_time: at(3_600_000),
    };
    session = (await unwrap(scene.client.POST("/api/v2/sessions/", { body }))).id;
  });

  it.each([
    [1280, 900],
    [390, 844],
  ])(
    "shows its players as their samples arrive, and never shows an old value as current, %i pixels wide",
    async (width, height) => {
      // the samples are minutes after those of the previous case, which can be either of the two
      const startMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS - (1280 - 890 * cases++) * SECOND_MS;
      const page = await openSignedIn(service, scene, { viewport: { width, height } });
      await showView(page, `#/sessions/${session}`, /./);
      await stopClocks(page, startMs + 20 * SECOND_MS);
      await page.getByRole("checkbox", { name: "Live" }).check();
      await rowOf(page, "Keller")
        .getByText("none yet")
        .or(rowOf(page, "Keller").getByText("min ago"))
        .waitFor();
      await send(0, startMs);
      await rowOf(page, "Keller").getByText("0 s ago").waitFor();
      await send(1, startMs);
      await rowOf(page, "Meier").getByText("0 s ago").waitFor();
      await page.getByRole("img", { name: "Map: Keller, Meier" }).waitFor();
      await page.getByText("Samples arrive").waitFor();
      const speed = rowOf(page, "Keller").locator("td").first();
      expect(await speed.innerText()).toMatch(/\d/);
      expect(await violations(page)).toEqual([]);
      if (process.env.PICTURES !== undefined)
        await page.screenshot({ path: `${process.env.PICTURES}/live-${width}.png`, fullPage: true });
      await page.evaluate((ms) => {
        const laterMs = performance.now() + ms;
        performance.now = () => laterMs;
      }, 10 * SECOND_MS);
      await rowOf(page, "Keller").getByText("10 s ago").waitFor();
      expect(await speed.innerText()).toMatch(/–$/);
      await page.getByText("Waiting for new samples").waitFor();
    },
  );
});
