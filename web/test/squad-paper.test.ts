import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect } from "vitest";
import { address, hasNoBrowser, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { cells, command, download, head, names, withMatch } from "./squad-page.js";
import { printedSquad } from "./squad-print.js";

const it = withMatch();
useBrowser();

describe.skipIf(hasNoBrowser)("the squad in files and on paper", () => {
  it("uses the selected sort in every file and on paper, like the command", async ({ scene, open }) => {
    const page = await open();
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await head(page, "Top").click();
    await head(page, "Top").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("Sorted by top speed, ascending");
    const order = await names(page);
    expect(order).not.toEqual(["Keller", "Meier", "Huber", "Graf", "Roth"]);
    await page.getByText("Export", { exact: true }).click();
    const csv = await download(page, () => page.getByRole("button", { name: "CSV", exact: true }).click());
    expect(csv.toString()).toBe(command(scene.folder, "--format", "csv", "--sort", "+top"));
    const workbook = unzipSync(
      await download(page, () => page.getByRole("button", { name: "Excel (.xlsx)" }).click()),
    );
    const inSheet = new TextDecoder().decode(workbook["xl/worksheets/sheet3.xml"]);
    const shared = [
      ...new TextDecoder().decode(workbook["xl/sharedStrings.xml"]).matchAll(/<si>.*?<\/si>/gs),
    ].map(([text]) => text.replace(/<.*?>/g, ""));
    const texts = [...inSheet.matchAll(/t="s"[^>]*><v>(\d+)/g)].map(([, i]) => shared[Number(i)] ?? "");
    expect(texts.filter((text) => order.includes(text))).toEqual(order);
    const [onPaper = ""] = await pdfPages(await printedSquad(page));
    const places = order.map((name) => onPaper.indexOf(` ${name} `));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(onPaper).not.toContain("GK mean");
  });

  it("writes the same report as the command, from a button", async ({ scene, open }) => {
    const page = await open();
    const report = await download(page, () => page.getByRole("button", { name: "Report" }).click());
    const path = join(scene.folder, "report.html");
    command(scene.folder, "-o", path, "--force");
    // the title is the name of the folder, which a browser does not know
    const titled = (html: string) => html.replace(/<title>.*?<\/title>/, "").replace(/<h1>.*?<\/h1>/, "");
    expect(titled(report.toString())).toBe(titled(readFileSync(path, "utf8")));
    rmSync(path);
  });

  it("prints the first page of the report, with the table by position, problems, and six figures of all players", async ({
    open,
  }) => {
    const page = await open({ colorScheme: "dark" });
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("1st half");
    const figures = Object.fromEntries(
      await Promise.all((await names(page)).map(async (name) => [name, await cells(page, name)] as const)),
    );
    await page.getByRole("button", { name: "By position" }).click();
    const pages = await pdfPages(await printedSquad(page));
    expect(pages).toHaveLength(1);
    const [text = ""] = pages;
    for (const [name, [minutes = "", distance = ""]] of Object.entries(figures))
      expect(text, name).toMatch(new RegExp(`\\b${name} [^A-Z]*${minutes} ${distance}`));
    expect(text).toMatch(
      /Match Sat, 16 May 2026.*1st half.*GK mean of 1.*DF mean of 2.*MF mean of 1.*FW mean of 1/,
    );
    expect(text).toMatch(/Recordings are complete and undamaged for \d of 5 players/);
    expect(text).toContain("Top speed");
    // the page contains the clock above the strips, and the meaning of their colours
    expect(text).toMatch(
      /Mean speed in the strips: 0 16 km\/h and more Recordings .* 14:15 14:30 14:45 15:00/,
    );
    // the screen is unchanged
    expect(await page.locator(".squad-paper").innerHTML()).toBe("");
    expect(await names(page)).toHaveLength(5);
  });

  it("omits controls in print, and prints bars of one colour without a mask", async ({ open }) => {
    const page = await open({
      prepare: async (context) => {
        await context.route(address, async (route) => {
          const response = await route.fetch();
          const headers = { ...response.headers(), link: '</>; rel="service-desc"' };
          await route.fulfill({ response, headers });
        });
      },
    });
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    const pdf = await printedSquad(page);
    // some viewers draw black lines at the edges of masks
    expect(/\/Luminosity|\/SMask \d/.test(pdf.toString("latin1"))).toBe(false);
    expect(pdfPages(pdf).join(" ")).not.toMatch(/Sign in|Add files|Report/);
    // The bar of the longest distance fills its cell. The others are narrower.
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const shares = await page
      .locator(".squad-paper tr:not(.mean) td:nth-child(3)")
      .evaluateAll((all) => all.map((cell) => getComputedStyle(cell).backgroundSize));
    expect(shares).toContainEqual(expect.stringMatching(/^calc\(100% - 8px\) 78%$/));
    expect(new Set(shares).size).toBeGreaterThan(2);
  });
});
