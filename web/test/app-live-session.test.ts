/** The live view of a session that is running now. */
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

/** Uploads the last seconds of a player. Some are ahead of the clock, so that they are still new on a slow machine. */
async function send(player: number): Promise<void> {
  const serial = scene.serials[player] ?? "";
  const startMs = Math.floor(Date.now() / SECOND_MS - 10) * SECOND_MS;
  const rows = demoRows({ seed: player + 1, startMs, durationMs: 20 * SECOND_MS });
  const { buffer } = await recording(serial, rows);
  const [stored] = await scene.client.uploadRecordings([new Blob([new Uint8Array(buffer)])]);
  await scene.client.waitForJob(stored?.job?.job_id ?? "", { intervalMs: 50 });
}

describe.skipIf(hasNoBrowser)("a session that is running", () => {
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
    "shows its players as their samples arrive, and old values as old, %i pixels wide",
    async (width, height) => {
      const page = await openSignedIn(service, scene, { viewport: { width, height } });
      await showView(page, `#/sessions/${session}`, /./);
      await page.getByRole("switch", { name: "Live" }).check();
      await rowOf(page, "Keller").waitFor();
      await send(0);
      await expect.poll(() => rowOf(page, "Keller").innerText()).toMatch(/\d s ago/);
      await send(1);
      await expect.poll(() => rowOf(page, "Meier").innerText()).toMatch(/\d s ago/);
      expect(await violations(page)).toEqual([]);
      if (process.env.PICTURES !== undefined)
        await page.screenshot({ path: `${process.env.PICTURES}/live-${width}.png`, fullPage: true });
      // A value that does not change any more is not shown as the current one.
      await expect.poll(() => rowOf(page, "Keller").locator(".bad").count()).toBe(1);
      await expect.poll(() => rowOf(page, "Keller").locator("td").first().innerText()).toBe("–");
    },
  );
});
