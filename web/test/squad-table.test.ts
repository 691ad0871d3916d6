import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { isKept } from "./squad-kept.js";
import {
  cells,
  chooseAll,
  command,
  download,
  head,
  names,
  openSquad,
  ready,
  withMatch,
} from "./squad-page.js";

const it = withMatch();
useBrowser();

describe.skipIf(hasNoBrowser)("the table of the squad", () => {
  it("shows the match as a table with the figures of the command, and writes files with the same digits", async ({
    scene,
    open,
  }) => {
    const page = await open();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(
      "Match Sat, 16 May 2026 · 5 players",
    );
    const csv = await download(page, async () => {
      await page.getByText("Export", { exact: true }).click();
      await page.getByRole("button", { name: "CSV", exact: true }).click();
    });
    expect(csv.toString()).toBe(command(scene.folder, "--format", "csv"));
    const withCommas = await download(page, () =>
      page.getByRole("button", { name: "CSV with decimal commas" }).click(),
    );
    // a file for Excel begins with a byte order mark
    expect(withCommas.toString()).toBe(`\uFEFF${command(scene.folder, "--format", "csv", "--decimal", ",")}`);
    const workbook = unzipSync(
      await download(page, () => page.getByRole("button", { name: "Excel (.xlsx)" }).click()),
    );
    const written = new TextDecoder().decode(workbook["xl/workbook.xml"]);
    for (const sheet of ["Session", "1st half", "2nd half"]) expect(written).toContain(`"${sheet}"`);

    // the page and the command agree on a half
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("1st half");
    const printed = command(scene.folder).split("\n1st half\n")[1] ?? "";
    for (const name of ["Keller", "Meier", "Huber", "Graf", "Roth"]) {
      const line = printed.split("\n").find((one) => one.includes(name)) ?? "";
      const figures = line
        .slice(29)
        .trim()
        .split(/\s{2,}/)
        .slice(0, 9);
      expect(await cells(page, name), name).toEqual(figures);
    }
  });

  it("sorts by the clicked figure in both directions and by the roster, and shows the order in the column header", async ({
    open,
  }) => {
    const page = await open();
    const distances = async () =>
      await page
        .locator(".squad-table tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) => Number((row as HTMLTableRowElement).cells[2]?.innerText.replace(/[≥,]/g, ""))),
        );
    const falling = await distances();
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    const sorted = page.locator(".squad-table [aria-sort]");
    expect([await sorted.count(), await sorted.getAttribute("aria-sort")]).toEqual([1, "descending"]);
    await head(page, "Distance").click();
    expect(await distances()).toEqual(falling.toReversed());
    expect(await sorted.getAttribute("aria-sort")).toBe("ascending");
    await head(page, "Distance").click();
    expect(await names(page)).toEqual(["Keller", "Meier", "Huber", "Graf", "Roth"]);
    expect(await sorted.count()).toBe(0);
    // a player who does not take part has no figures, and is last in the table
    await page.getByRole("button", { name: "2nd half", exact: true }).click();
    await expect.poll(async () => (await cells(page, "Roth"))[0]).toBe("–");
    await head(page, "HR").click();
    expect((await names(page)).at(-1)).toBe("Roth");
  });

  it("has individual limits on request, with the same digits as the command, and never mixes them with fixed limits", async ({
    scene,
  }) => {
    const path = join(scene.beside, "roster.csv");
    writeFileSync(
      path,
      "player;serial;max_speed (km/h)\nKeller;TRK-1;\nMeier;TRK-2;26\nHuber;TRK-3;28\nGraf;TRK-4 TRK-14;27\nRoth;TRK-5;30\n",
    );
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !file.endsWith("roster.csv")), path]);
    await ready(page);
    const fixed = await cells(page, "Keller");
    await page.getByText("Columns…").click();
    await page.getByLabel("Limits").selectOption("of the maximum speed");
    await page.getByText("Players whose speeds are not in the roster have no high-speed distance").waitFor();
    await expect
      .poll(async () => (await cells(page, "Keller")).filter((text) => text === "–").length)
      .toBe(fixed.filter((text) => text === "–").length + 2);
    await page.keyboard.press("Escape");
    await page.getByText("Export", { exact: true }).click();
    const file = await download(page, () => page.getByRole("button", { name: "CSV", exact: true }).click());
    const options = ["--roster", path, "--individual-zones", "mss", "--format", "csv"];
    expect(file.toString("utf8")).toBe(command(scene.folder, ...options));
    // a player has the same limits, which are 60, 80 and 90 % of 30 km/h
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Roth", exact: true }).click();
    const speeds = page.locator(".panel", { has: page.getByLabel("Maximum speed of the athlete") });
    await expect
      .poll(() => speeds.locator("tbody th").allInnerTexts())
      .toEqual(["0–18", "18–24", "24–27", "27+"]);
    expect(await page.getByLabel("Maximum speed of the athlete").inputValue()).toBe("30");
    await page.goBack();
    await page.getByRole("button", { name: "Keller", exact: true }).click();
    await speeds.getByText("Speed zones: Football.").waitFor();
    await page.goBack();
    // the player has two joined recordings, and the limit is 80 % of 27 km/h
    await page.getByRole("button", { name: "Graf", exact: true }).click();
    await page.locator(".comparison thead").getByText("From 21.6 km/h, m").waitFor();
    await page.goBack();
    await ready(page);
    // the limits stay after a reload
    const individual = await cells(page, "Keller");
    await isKept(page, '"zones":"mss"');
    await page.reload();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    await expect.poll(() => cells(page, "Keller")).toEqual(individual);
  });

  it("shows the selected training impulse of players with a maximum heart rate, also per minute, like the command", async ({
    scene,
  }) => {
    const path = join(scene.beside, "roster.csv");
    writeFileSync(
      path,
      "player;serial;max_hr\nKeller;TRK-1;190\nMeier;TRK-2;\nHuber;TRK-3;200\nGraf;TRK-4 TRK-14;185\nRoth;TRK-5;\n",
    );
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !file.endsWith("roster.csv")), path]);
    await ready(page);
    expect(await page.locator(".squad-table thead button").allInnerTexts()).not.toContain("TRIMP");
    await page.getByText("Columns…").click();
    await page.getByLabel("Training impulse (Edwards)").check();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    const shown = async () => {
      const heads = await page.locator(".squad-table thead button").allInnerTexts();
      const rows = await Promise.all(["Keller", "Meier"].map((name) => cells(page, name)));
      return rows.map((row) => row[heads.indexOf("TRIMP") - 1]);
    };
    const half = command(scene.folder, "--roster", path, "--format", "jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ period }) => period === "1st half");
    const [keller, meier] = ["Keller", "Meier"].map((name) => half.find(({ player }) => player === name));
    expect([keller.trimp > 60, meier.trimp]).toEqual([true, null]);
    await expect.poll(shown).toEqual([String(Math.round(keller.trimp)), "–"]);
    // the mean contains the number of players, as in the command, because others have no value
    const table = command(scene.folder, "--roster", path, "--columns", "trimp");
    const halfTable = table.slice(table.indexOf("1st half"));
    const mean = /^Mean of .* period +(\d+)$/m.exec(halfTable)?.[1];
    const count = /fewer players.* TRIMP of (\d+)/.exec(halfTable)?.[1];
    const means = () => page.locator(".squad-table tfoot tr:first-child td:not(.last)").allInnerTexts();
    await expect.poll(async () => (await means()).at(-1)).toBe(`${mean} of ${count}`);
    await page.getByRole("button", { name: "Per minute" }).click();
    await expect.poll(shown).toEqual([(keller.trimp / keller.minutes).toFixed(2), "–"]);
    await head(page, "TRIMP").click();
    const [most] = half.toSorted((a, b) => b.trimp / b.minutes - a.trimp / a.minutes);
    await expect.poll(async () => (await names(page))[0]).toContain(most.player);
    await head(page, "Distance").click();
    await page.getByText("Export", { exact: true }).click();
    const file = await download(page, () => page.getByRole("button", { name: "CSV", exact: true }).click());
    expect(file.toString("utf8")).toBe(command(scene.folder, "--roster", path, "--format", "csv"));
  });

  it("opens each player with the maximum heart rate of the roster, which a change for another player leaves", async ({
    scene,
  }) => {
    const path = join(scene.beside, "roster.csv");
    writeFileSync(path, "player;serial;max_hr\nKeller;TRK-1;190\nMeier;TRK-2;\nHuber;TRK-3;200\n");
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !file.endsWith("roster.csv")), path]);
    await ready(page);
    const field = page.getByLabel("Maximum heart rate of the athlete");
    const found: string[] = [];
    for (const name of ["Keller", "Meier", "Huber"]) {
      await page.getByRole("button", { name, exact: true }).click();
      found.push(await field.inputValue());
      await field.fill("195");
      await field.press("Enter");
      await page.goBack();
      await ready(page);
    }
    expect(found).toEqual(["190", "", "200"]);
  });

  it("opens a player with the thresholds of the roster, also without a maximum heart rate", async ({
    scene,
  }) => {
    const path = join(scene.beside, "roster.csv");
    writeFileSync(path, "player;serial;sprint (km/h)\nKeller;TRK-1;\nMeier;TRK-2;16.2\n");
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !file.endsWith("roster.csv")), path]);
    await ready(page);
    for (const [name, limit] of [
      ["Meier", "16.2"],
      ["Keller", "25.2"],
    ] as const) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByText(`At least 1 s from ${limit} km/h.`).waitFor();
      await page.goBack();
      await ready(page);
    }
  });

  it("remains sorted by a figure after its column is hidden", async ({ open }) => {
    const page = await open();
    await head(page, "Top").click();
    const order = await names(page);
    await page.getByText("Columns…").click();
    await page.getByLabel("Top speed").uncheck();
    expect(await page.locator("caption").innerText()).toContain("Sorted by top speed, descending");
    expect(await names(page)).toEqual(order);
  });

  it("marks sums of an incomplete period, and explains them on a card", async ({ open }) => {
    const page = await open();
    await page.getByRole("button", { name: "2nd half", exact: true }).click();
    await expect.poll(async () => (await cells(page, "Huber"))[1]).toMatch(/^≥/);
    const [minutes, distance, rate] = await cells(page, "Huber");
    expect([minutes, rate].join()).not.toContain("≥");
    expect(distance).toMatch(/^≥[\d,]+$/);
    expect(await page.locator("tr", { hasText: "Huber" }).locator("td").nth(1).textContent()).toContain(
      "at least",
    );
    const mark = page.locator("tr", { hasText: "Huber" }).locator(".quality");
    await mark.click();
    const card = page.getByRole("dialog", { name: "Quality of Huber" });
    const facts = await card.innerText();
    expect(facts).toMatch(/Damaged\n14:51:05 to 14:56:09/);
    expect(facts).toMatch(/Minutes with data\n2\d of 30/);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
  });

  it("works by keyboard, with one tab stop for the rows, M for the card, Enter for the player, and Back for the unchanged squad", async ({
    open,
  }) => {
    const page = await open();
    await head(page, "Top").click();
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("1st half");
    const order = await names(page);
    await page.locator(".squad-table tbody tr[tabindex='0']").focus();
    await page.keyboard.press("ArrowDown");
    const chosen = page.locator(".squad-table tr[aria-current='true'] .player");
    expect(await chosen.innerText()).toBe(order[1]);
    await page.keyboard.press("End");
    expect(await chosen.innerText()).toBe(order.at(-1));
    await page.keyboard.press("m");
    await page.getByRole("dialog", { name: `Quality of ${order.at(-1)}` }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.locator(".cards, .comparison").first().waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(order.at(-1));
    expect(await page.title()).toBe(`${order.at(-1)} · asi viewer`);
    await page.getByRole("button", { name: "Back to the squad" }).click();
    await ready(page);
    expect(await names(page)).toEqual(order);
    expect(await chosen.innerText()).toBe(order.at(-1));
    expect(await page.locator("caption").innerText()).toContain("1st half, Sorted by top speed, descending");
  });

  it("names only the recordings that are shown, if those of a player cannot be read or the user opens others", async ({
    scene,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), "asi-squad-moved-"));
    try {
      cpSync(scene.folder, folder, { recursive: true });
      const files = scene.files.map((file) => join(folder, basename(file)));
      const page = await openSquad(files);
      const title = () => page.getByRole("heading", { level: 1 }).innerText();
      const player = (name: string) => page.locator(".squad-table .player", { hasText: name });
      await player("Keller").click();
      await page.locator(".cards").first().waitFor();
      const back = page.getByRole("button", { name: "Back to the squad" });
      await back.click();
      await ready(page);
      const squad = await title();
      rmSync(join(folder, "03-Huber.asi"));
      await player("Huber").click();
      await page.getByText("03-Huber.asi could not be").waitFor();
      expect(await title()).toBe(squad);
      await player("Roth").click();
      await back.waitFor();
      await page.evaluate(
        (bytes) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array(bytes)], "run.asi"));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        },
        [...readFileSync(fixturePath("valid/run-fix-loss.asi"))],
      );
      await expect.poll(title).toBe("Tracker 42");
      expect(await page.title()).toBe("Tracker 42 · asi viewer");
      await back.click();
      await expect.poll(title).toBe(squad);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("groups by position, divides by minutes, and remembers the selected columns", async ({ open }) => {
    const page = await open();
    await page.getByRole("button", { name: "By position" }).click();
    expect(await page.locator(".squad-table .mean th").allInnerTexts()).toEqual([
      "Goalkeepers mean of 1",
      "Defenders mean of 2",
      "Midfielders mean of 1",
      "Forwards mean of 0",
    ]);
    const [minutes, distance, rate] = await cells(page, "Keller");
    await page.getByRole("button", { name: "Per minute" }).click();
    const perMinute = await cells(page, "Keller");
    expect(perMinute[0]).toBe(minutes);
    expect(Math.round(Number(perMinute[1]))).toBe(Number(rate));
    expect(Number(distance?.replace(",", ""))).toBeGreaterThan(1000);
    await page.getByText("Columns…").click();
    await page.getByLabel("Sprint distance").check();
    await page.getByLabel("Minutes").uncheck();
    await page.keyboard.press("Escape");
    const heads = () => page.locator(".squad-table thead button").allInnerTexts();
    const shown = await heads();
    expect(shown).toContain("Sprint m");
    expect(shown).not.toContain("Minutes");
    await page.reload();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    expect(await heads()).toEqual(shown);
  });

  it("scrolls sideways only in its frame, at 360 pixels", async ({ open }) => {
    const page = await open({ viewport: { width: 360, height: 780 } });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    const frame = page.locator(".squad-frame");
    const { scrollWidth, clientWidth } = await frame.evaluate((one) => ({
      scrollWidth: one.scrollWidth,
      clientWidth: one.clientWidth,
    }));
    expect(scrollWidth).toBeGreaterThan(clientWidth);
    const left = async () => (await page.locator(".squad-table tbody th").first().boundingBox())?.x;
    const before = await left();
    await frame.evaluate((one) => one.scrollTo(400, 0));
    expect(await left()).toBe(before);
  });
});
