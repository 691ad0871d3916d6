import { describe, expect, it } from "vitest";
import { movingParts, overflow, violations } from "../accessibility.js";
import { fixturePath } from "../fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "../page.js";

describe.skipIf(hasNoBrowser)("the page for users with special needs", () => {
  useBrowser();

  it("is accessible, needs no horizontal scrolling at 200 % zoom, and has no automatic motion", async () => {
    // zoom halves the size in CSS pixels and doubles the device pixel ratio
    const page = await openPage({
      viewport: { width: 640, height: 400 },
      deviceScaleFactor: 2,
      reducedMotion: "reduce",
    });
    await choose(page, fixturePath("valid/match-ecg.asi"));
    await page.getByRole("button", { name: "ECG and beats" }).click();
    await page.getByRole("region", { name: "Beats" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await movingParts(page)).toEqual([]);
  });
});
