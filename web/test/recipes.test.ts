import { readFileSync } from "node:fs";
import { decodeSync } from "asi-convert";
import { computeRecipe, RECIPES, type Recipe, recipeSensitivity } from "asi-convert/metrics";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

const FILE = fixturePath("valid/match-hr.asi");
const { samples } = decodeSync(readFileSync(FILE));

const open = (page: Page) => page.getByText("Counts by another definition", { exact: true }).click();
const counted = (page: Page) => page.getByRole("region", { name: "Counts of the definition" });
const fileOf = (value: unknown) => ({
  name: "ours.json",
  mimeType: "application/json",
  buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
});

function recipeOf(name: string): Recipe {
  const found = RECIPES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no recipe ${name}`);
  return found.recipe;
}

const headingOf = (recipe: Recipe, limits = {}) => {
  const { count, distance } = computeRecipe(samples, recipe, limits);
  return `${count} efforts, ${Math.round(distance ?? Number.NaN)} m in the shown time`;
};

describe.skipIf(hasNoBrowser)("a second recipe in the viewer", () => {
  useBrowser();

  it("counts what `asi stats --recipe` counts, with the table of its choices", async () => {
    const page = await openPage();
    await choose(page, FILE);
    await open(page);
    const recipe = recipeOf("statsports/sprint");
    await page.getByLabel("Definition").selectOption("statsports/sprint");
    await counted(page).getByText("as worded by STATSports").waitFor();
    expect(await counted(page).getByRole("heading").innerText()).toBe(headingOf(recipe));
    const table = page.getByRole("region", { name: "Count by filter and minimum duration" });
    const shown = await Promise.all(
      (await table.locator("tbody tr").all()).map((row) => row.locator("td").allInnerTexts()),
    );
    const { rows, hash } = recipeSensitivity(samples, recipe);
    expect(shown).toEqual(rows.map(({ cells }) => cells.map(({ count }) => String(count ?? "–"))));
    expect(await table.locator("strong").count()).toBe(1);
    await counted(page)
      .getByText(`Recipe ${hash.slice(0, 12)}.`)
      .waitFor();
    expect(await violations(page)).toEqual([]);

    // the result for a part, which is the passage of its first effort
    await page.getByRole("region", { name: "Counted efforts" }).getByRole("button").first().click();
    await expect.poll(() => counted(page).getByRole("heading").innerText()).not.toBe(headingOf(recipe));
  });

  it("is read from a file, and refused with the key if it is invalid", async () => {
    const page = await openPage();
    await choose(page, FILE);
    await open(page);
    const own = { ...recipeOf("soccer/sprint"), enter: 5000, exit: 5000 };
    await page.locator("input[data-recipe]").setInputFiles(fileOf(own));
    await expect.poll(() => counted(page).getByRole("heading").innerText()).toBe(headingOf(own));
    expect(await page.getByLabel("Definition").locator("option:checked").innerText()).toBe("ours");
    await page.locator("input[data-recipe]").setInputFiles(fileOf({ ...own, enter: "fast" }));
    await page
      .getByRole("alert")
      .filter({ hasText: /^ours\.json: .*enter/ })
      .waitFor();
    await page.locator("input[data-recipe]").setInputFiles(fileOf("{"));
    await page.getByRole("alert").filter({ hasText: "This is not JSON" }).waitFor();
    expect(await counted(page).getByRole("heading").innerText()).toBe(headingOf(own));
  });

  it("reads the quality of the recording if it has a gate, and says how many samples the gate drops", async () => {
    const page = await openPage();
    const reception = fixturePath("valid/reception.asi");
    await choose(page, reception);
    await open(page);
    const gated = { ...recipeOf("soccer/sprint"), gate: { min_satellites: 6 } };
    await page.locator("input[data-recipe]").setInputFiles(fileOf(gated));
    await counted(page).getByText("Samples of the shown time that its gate dropped: 51 (5.3 s).").waitFor();
    const { samples: received } = decodeSync(readFileSync(reception), { quality: true });
    const { count, distance } = computeRecipe(received, gated);
    expect(await counted(page).getByRole("heading").innerText()).toBe(
      `${count} efforts, ${Math.round(distance ?? Number.NaN)} m in the shown time`,
    );
    // the result for a part, which is the passage of its first effort and contains the row without a satellite
    await page.getByRole("region", { name: "Counted efforts" }).getByRole("button").first().click();
    await counted(page).getByText("that its gate dropped: 1 (0.2 s)").waitFor();
    // for a file without quality, the page says what is missing
    const other = await openPage();
    await choose(other, fixturePath("valid/reception.csv"));
    await open(other);
    await other.locator("input[data-recipe]").setInputFiles(fileOf(gated));
    await other.getByText("this recording does not contain it").waitFor();
  });
});
