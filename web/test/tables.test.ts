import { describe, expect, it } from "vitest";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";

describe.skipIf(hasNoBrowser)("figures", () => {
  useBrowser();

  it("have table headers with a name and, after a comma, a unit, and the headers of the six zones of running fit on one line", async () => {
    const page = await openPage();
    await page.getByRole("button", { name: "Show a demonstration" }).click();
    await page.getByRole("heading", { name: /^Sprints: [1-9]/ }).waitFor();
    await page.getByText("The plots as a table").click();
    const heads = await page.locator("thead th").allInnerTexts();
    const some = ["Speed, km/h", "Length, s", "Max, km/h", "Distance, m", "Peak, m/s²"];
    expect(heads).toEqual(expect.arrayContaining(some));

    await page.getByText("Settings", { exact: true }).click();
    await page.getByLabel("Sport").selectOption({ label: "Running" });
    const zones = page.locator(".time-by-speed li");
    await expect.poll(() => zones.count()).toBe(6);
    const tops = await zones.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom));
    expect(new Set(tops).size).toBe(1);

    const compared = await openPage();
    await compared.getByRole("button", { name: "Compare three players" }).click();
    const table = compared.locator(".comparison");
    await expect.poll(() => table.locator("tbody tr").count()).toBe(3);
    const figures = await table.locator("thead th").allInnerTexts();
    expect(figures).toEqual(expect.arrayContaining(["Recorded", "Distance, m", "Max speed, km/h"]));

    const isWithoutComma = (head: string) => /(^|[^,]) (m|s|ms|bpm|km\/h|m\/s²)$/.test(` ${head}`);
    expect([...heads, ...figures].filter(isWithoutComma)).toEqual([]);
  });
});
