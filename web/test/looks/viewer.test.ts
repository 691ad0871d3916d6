import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { overflow, violations } from "../accessibility.js";
import { fixturePath } from "../fixtures.js";
import { LOOKS, nameOf, optionsOf } from "../looks.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "../page.js";

/** Waits for two frames. The effects of the last action are then drawn. */
const drawn = (page: Page) =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

describe.skipIf(hasNoBrowser)("every state of the page", () => {
  useBrowser();

  const STATES: Record<string, (page: Page) => Promise<unknown>> = {
    empty: async () => {},
    "a damaged recording": async (page) => {
      await choose(page, fixturePath("damaged/bad-checksums.asi"));
      await page.getByRole("region", { name: "Damaged places" }).waitFor();
    },
    "a file that cannot be read": (page) => choose(page, fixturePath("damaged/empty.asi")),
    "waveform and beats": async (page) => {
      await choose(page, fixturePath("valid/match-ecg.asi"));
      await page.getByRole("button", { name: "ECG and beats" }).click();
      await page.getByRole("region", { name: "Beats" }).waitFor();
      await page.getByText("Options", { exact: true }).click();
    },
    "several recordings by distance": async (page) => {
      await page.getByRole("button", { name: "Compare three players" }).click();
      await page.getByRole("button", { name: "Distance", exact: true }).click();
      await page.getByRole("slider").press("End");
    },
    "several recordings": async (page) => {
      await page.setInputFiles("input[type=file] >> nth=0", [
        fixturePath("valid/run-fix-loss.asi"),
        fixturePath("valid/ublox7.asi"),
      ]);
      await page.waitForSelector(".comparison");
    },
    "the settings": async (page) => {
      await choose(page, fixturePath("valid/edges.asi"));
      await page.getByText("Settings", { exact: true }).click();
    },
    "the peak demands of a recording": async (page) => {
      await choose(page, fixturePath("valid/match-hr.asi"));
      await page.getByText("Peak demands", { exact: true }).click();
      await page.getByRole("region", { name: "Peak demands" }).waitFor();
      await page.getByRole("button", { name: /^Show the 10 s/ }).click();
    },
    "one recording, with the table behind its plots": async (page) => {
      await choose(page, fixturePath("valid/match-hr.asi"));
      await page.getByText("The plots as a table").click();
      await page.getByRole("region", { name: "Values of the plots" }).waitFor();
    },
  };

  for (const look of LOOKS)
    describe(nameOf(look), () => {
      it.each(Object.entries(STATES))("is accessible by WCAG 2.2 AA and fits: %s", async (_, enter) => {
        const page = await openPage(optionsOf(look));
        await enter(page);
        await drawn(page);
        expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
      });
    });
});
