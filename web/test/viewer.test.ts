import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { card, choose, fixturePath, hasNoBrowser, openPage, useBrowser } from "./page.js";

describe.skipIf(hasNoBrowser)("a recording in the viewer", () => {
  useBrowser();

  it("shows the figures of a file that the user chooses", async () => {
    const page = await openPage();
    expect(await page.getByText("Nothing is uploaded").isVisible()).toBe(true);
    await choose(page, fixturePath("valid/match-hr.asi"));
    const speeds = goldenColumn("valid/match-hr.csv", "speed");
    const fastest = (Math.max(...speeds) * 3.6).toFixed(1);
    await expect.poll(() => card(page, "Max speed")).toBe(`${fastest} km/h`);
  });
});

function goldenColumn(csv: string, column: string): number[] {
  const [header = "", ...lines] = readFileSync(fixturePath(csv), "utf8").trimEnd().split("\n");
  const at = header.split(",").indexOf(column);
  return lines.map((line) => Number(line.split(",")[at]));
}
