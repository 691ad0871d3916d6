import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encode } from "asi-convert";
import { unzipSync } from "fflate";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { address, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { isKept } from "./squad-kept.js";
import { printedSquad } from "./squad-print.js";
import { type SquadScene, squadRecording, squadScene } from "./squad-scene.js";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));

/** The output of the command for the folder of the scene. */
function command(folder: string, ...options: string[]): string {
  const args = [ASI, "squad", folder, "--tz", "Europe/Zurich", ...options];
  try {
    return execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    // one of the recordings is damaged, and the command reports it
    const { status, stdout } = error as { status: number; stdout: string };
    if (status !== 1 && status !== 3) throw error;
    return stdout;
  }
}

const chooseAll = (page: Page, files: string[]) => page.setInputFiles("input[type=file] >> nth=0", files);

/** Waits until the table shows the whole match. */
const ready = (page: Page) => page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();

const names = (page: Page) => page.locator(".squad-table tbody .player").allInnerTexts();
const head = (page: Page, name: string) => page.locator(".squad-table thead").getByRole("button", { name });
/** The figures of a player, without the texts for screen readers. */
const cells = (page: Page, player: string) =>
  page
    .locator(".squad-table tbody tr", { hasText: player })
    .locator("td:not(.last)")
    .evaluateAll((all) =>
      all.map((cell) =>
        [...cell.childNodes]
          .filter((node) => !(node instanceof Element && node.className === "for-readers"))
          .map((node) => node.textContent)
          .join(""),
      ),
    );

async function download(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent("download") as Promise<Download>, press()]);
  return readFileSync(await file.path());
}

/** The text of each printed page. */
const printedPages = async (page: Page) => pdfPages(await printedSquad(page));

describe.skipIf(hasNoBrowser)("the squad", () => {
  useBrowser();
  let scene: SquadScene;
  beforeAll(async () => {
    scene = await squadScene();
  });
  afterAll(() => scene.remove());

  async function open(options: Parameters<typeof openPage>[0] = {}): Promise<Page> {
    const page = await openPage(options);
    await chooseAll(page, scene.files);
    await ready(page);
    return page;
  }

  it("opens only the first player if the user clicks a second one while the first is being read", async () => {
    const page = await open();
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    // both presses precede the next frame of the page
    const pressed = await page.evaluate(() => {
      const players = [...document.querySelectorAll<HTMLElement>(".squad-table .player")];
      const pressed = players.filter(({ innerText }) => ["Meier", "Roth"].includes(innerText));
      for (const player of pressed.sort((a, b) => a.innerText.localeCompare(b.innerText))) player.click();
      return pressed.length;
    });
    expect(pressed).toBe(2);
    await page.getByRole("heading", { level: 1, name: "Meier" }).waitFor();
    await page.getByText("By speed", { exact: true }).waitFor();
    expect(await page.getByRole("main").innerText()).not.toContain("05-Roth");
    await page.goBack();
    await button("Meier").waitFor();
  });

  it("names a recording that contains a wrong date, and shows the others", async () => {
    const years = [2020, 2026].map((year) => ({
      timestamp: Date.UTC(year, 4, 16),
      latitude: 47,
      longitude: 8,
      speed: 3,
    }));
    const path = join(scene.folder, "09-Wrong.asi");
    writeFileSync(path, await new Response(encode(years, { serial: "TRK-9" }) as BodyInit).bytes());
    const page = await openPage();
    await chooseAll(page, [...scene.files, path]);
    await ready(page);
    expect(await names(page)).toHaveLength(6);
    await page
      .getByText(/so some have a wrong date/)
      .first()
      .waitFor();
    rmSync(path);
  });

  it("says that the periods are on a different day than the recordings", async () => {
    const path = join(scene.beside, "periods.csv");
    writeFileSync(path, "period,start,end\n1st half,2026-05-09 14:00,2026-05-09 14:30\n");
    const page = await openPage();
    await chooseAll(page, [...scene.files.slice(0, 2), path]);
    await ready(page);
    await page.getByRole("button", { name: /to check$/ }).click();
    expect(await page.getByRole("region", { name: "To check" }).innerText()).toContain(
      "Not within the recordings. The recordings are from Sat, 16 May 2026 14:00:00 to 15:10:00. Outside: 1st half (Sat, 9 May 2026 14:00:00 to 14:30:00).",
    );
  });

  it("says which period has no data of any player, and when the recordings end", async () => {
    const path = join(scene.beside, "periods.csv");
    writeFileSync(path, "period,start,end\nDrill 3,15:20,15:30\n");
    const page = await openPage();
    await chooseAll(page, [...scene.files.slice(0, 2), path]);
    await ready(page);
    expect(await page.locator(".squad-empty").count()).toBe(0);
    await page.getByRole("button", { name: "Drill 3", exact: true }).first().click();
    await page
      .getByText("No player has data in “Drill 3”, 15:20:00 to 15:30:00. The recordings end at 15:10:00.", {
        exact: true,
      })
      .waitFor();
  });

  it("shows the match as a table with the figures of the command, and writes files with the same digits", async () => {
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

  it("counts the undamaged recordings, even if a player has two", async () => {
    const page = await open();
    // six recordings, one of which (Huber) is damaged
    expect(await page.locator(".squad-status").innerText()).toMatch(/^✓\s*5 recordings undamaged/);
  });

  it("sorts by the clicked figure in both directions and by the roster, and shows the order in the column header", async () => {
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

  it("uses the selected sort in every file and on paper, like the command", async () => {
    const page = await open();
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await head(page, "Top").click();
    await head(page, "Top").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("Sorted by top speed, rising");
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
    const [onPaper = ""] = await printedPages(page);
    const places = order.map((name) => onPaper.indexOf(` ${name} `));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(onPaper).not.toContain("GK mean");
  });

  it("has individual limits on request, with the same digits as the command, and never mixes them with fixed limits", async () => {
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
    // two joined recordings of one player, with 80 % of 27 km/h
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

  it("shows the selected training impulse of players with a maximum heart rate, also per minute, like the command", async () => {
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

  it("remains sorted by a figure after its column is hidden", async () => {
    const page = await open();
    await head(page, "Top").click();
    const order = await names(page);
    await page.getByText("Columns…").click();
    await page.getByLabel("Top speed").uncheck();
    expect(await page.locator("caption").innerText()).toContain("Sorted by top speed, falling");
    expect(await names(page)).toEqual(order);
  });

  it("marks sums of an incomplete period, and explains them on a card", async () => {
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

  it("works by keyboard, with one tab stop for the rows, M for the card, Enter for the player, and Back for the unchanged squad", async () => {
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
    expect(await page.locator("caption").innerText()).toContain("1st half, Sorted by top speed, falling");
  });

  it("groups by position, divides by minutes, and remembers the selected columns", async () => {
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

  it("lists omitted files with the reason, shows the others, and keeps a row for an unreadable file", async () => {
    const page = await openPage();
    await chooseAll(page, [...scene.files, ...scene.accidents]);
    await ready(page);
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = await page.getByRole("region", { name: "To check" }).innerText();
    expect(list).toContain(
      "The file has 0 bytes. Copy it from the tracker again, then add it. The table keeps its place.",
    );
    expect(list).toContain("Left out. Not a recording, roster or period file.");
    expect(list).toContain("Left out. The same as 01-Keller.asi.");
    expect(list).toMatch(
      /One player, two recordings\. TRK-4 and TRK-14 are Graf in the roster\. They are joined, 2:01 min without data between them\./,
    );
    expect(list).toMatch(/Damaged\. \d:\d\d min cannot be read/);
    expect(await names(page)).toContain("06-Vogel");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(/· 6 players$/);
    expect(await page.locator("caption").innerText()).toMatch(/\b6 players/);
    const report = await download(page, () => page.getByRole("button", { name: "Report" }).click());
    expect(report.toString()).toContain("(Europe/Zurich), 6 players");
    expect(await cells(page, "06-Vogel")).toEqual(Array.from({ length: 9 }, () => "–"));
    await page.getByRole("button", { name: /^Keep apart/ }).click();
    await expect.poll(() => names(page)).toContain("04-Graf-b");
    expect(await violations(page)).toEqual([]);
  });

  it("is stored until it is closed, and a reload restores it", async () => {
    const page = await open();
    await page.getByText(/^Kept in this browser until you close the session/).waitFor();
    await page.getByRole("button", { name: "2nd half", exact: true }).click();
    await head(page, "Sprints").click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("2nd half, Sorted by sprints");
    const order = await names(page);
    await isKept(page, '"key":"sprints"');
    await page.reload();
    await page.getByText("Match of Sat, 16 May 2026: 6 recordings are kept in this browser.").waitFor();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    await expect.poll(() => page.locator("caption").innerText()).toContain("2nd half, Sorted by sprints");
    expect(await names(page)).toEqual(order);
    await page.getByRole("button", { name: "Close and remove" }).click();
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    const left = () =>
      page.evaluate(async () => {
        const kept: string[] = [];
        for await (const name of (await navigator.storage.getDirectory()).keys()) kept.push(name);
        return kept;
      });
    await expect.poll(left).toEqual([]);
  });

  it("names the files that the browser has removed, and shows the others", async () => {
    const page = await open();
    await page.getByText(/^Kept in this browser until you close the session/).waitFor();
    await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("squad");
      const index = await (await folder.getFileHandle("session.json")).getFile();
      const { files } = JSON.parse(await index.text()) as { files: { stored: string; name: string }[] };
      const meier = files.find(({ name }) => name === "02-Meier.asi.gz");
      await folder.removeEntry(meier?.stored ?? "");
    });
    await page.reload();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await ready(page);
    expect(await names(page)).toHaveLength(5);
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = page.getByRole("region", { name: "To check" });
    expect(await list.innerText()).toMatch(
      /02-Meier\.asi\.gz\s+Not kept\. This browser no longer has the file\. Choose it again/,
    );
    await list.getByLabel("Choose again… 02-Meier.asi.gz").setInputFiles(scene.files[1] ?? "");
    await ready(page);
    await expect.poll(() => list.innerText()).not.toContain("Not kept.");
    await page.getByText(/^Kept in this browser until you close the session/).waitFor();
  });

  it("writes the same report as the command, from a button", async () => {
    const page = await open();
    const report = await download(page, () => page.getByRole("button", { name: "Report" }).click());
    const path = join(scene.folder, "report.html");
    command(scene.folder, "-o", path, "--force");
    // the title is the name of the folder, which a browser does not know
    const titled = (html: string) => html.replace(/<title>.*?<\/title>/, "").replace(/<h1>.*?<\/h1>/, "");
    expect(titled(report.toString())).toBe(titled(readFileSync(path, "utf8")));
    rmSync(path);
  });

  it("prints the first page of the report, with the table by position, problems, and six figures of all players", async () => {
    const page = await open({ colorScheme: "dark" });
    await page.getByRole("button", { name: "1st half", exact: true }).click();
    await expect.poll(() => page.locator("caption").innerText()).toContain("1st half");
    const figures = Object.fromEntries(
      await Promise.all((await names(page)).map(async (name) => [name, await cells(page, name)] as const)),
    );
    await page.getByRole("button", { name: "By position" }).click();
    const pages = await printedPages(page);
    expect(pages).toHaveLength(1);
    const [text = ""] = pages;
    for (const [name, [minutes = "", distance = ""]] of Object.entries(figures))
      expect(text, name).toMatch(new RegExp(`\\b${name} [^A-Z]*${minutes} ${distance}`));
    expect(text).toMatch(
      /Match Sat, 16 May 2026.*1st half.*GK mean of 1.*DF mean of 2.*MF mean of 1.*FW mean of 1/,
    );
    expect(text).toMatch(/Recordings are complete and undamaged for \d of 5 players/);
    expect(text).toContain("Top speed");
    // the clock above the strips, and the meaning of their colours
    expect(text).toMatch(
      /Mean speed in the strips: 0 16 km\/h and more Recordings .* 14:15 14:30 14:45 15:00/,
    );
    // the screen is unchanged
    expect(await page.locator(".squad-paper").innerHTML()).toBe("");
    expect(await names(page)).toHaveLength(5);
  });

  it("omits controls in print, and prints bars of one colour without a mask", async () => {
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

  it("opens every menu within the window of a phone", async () => {
    const page = await open({ viewport: { width: 390, height: 800 } });
    const press = (name: string) => page.locator(".squad-controls summary", { hasText: name }).click();
    await press("More");
    const panel = page.locator(".squad-more > .menu-body");
    const isInside = async (part: typeof panel) => {
      await part.scrollIntoViewIfNeeded();
      const box = (await part.boundingBox()) ?? expect.fail();
      const frame = (await panel.boundingBox()) ?? expect.fail();
      expect(frame.y + frame.height).toBeLessThanOrEqual(800);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(390);
      expect(box.y).toBeGreaterThanOrEqual(frame.y);
      expect(box.y + box.height).toBeLessThanOrEqual(frame.y + frame.height);
    };
    await isInside(panel.getByRole("button", { name: "By position" }));
    await press("Export");
    for (const name of ["CSV", "CSV with decimal commas", "Excel (.xlsx)"])
      await isInside(panel.getByRole("button", { name, exact: true }));
    await press("Columns…");
    await isInside(panel.getByLabel("Sprint distance"));
    await isInside(panel.getByRole("button", { name: "Restore defaults" }));
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await violations(page)).toEqual([]);
  });

  it("counts the longer of two simultaneous recordings of a player, and names the other", async () => {
    const page = await openPage();
    const short = join(scene.beside, "02-Meier-short.asi");
    writeFileSync(short, await squadRecording(7, "TRK-2", 10, 40));
    await chooseAll(page, [...scene.files, short]);
    await ready(page);
    const before = await cells(page, "Meier");
    expect(before[0]).toBe("60");
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = page.getByRole("region", { name: "To check" });
    expect(await list.innerText()).toContain(
      "Several simultaneous recordings of one player. The roster assigns them to Meier. The longest counts, and 02-Meier-short.asi is left out.",
    );
    await page.locator("tr", { hasText: "Meier" }).locator(".quality").click();
    expect(await page.getByRole("dialog", { name: "Quality of Meier" }).innerText()).toContain(
      "02-Meier-short.asi",
    );
    await page.keyboard.press("Escape");
    await list.getByRole("button", { name: /^Keep apart: 02-Meier/ }).click();
    await expect.poll(() => names(page)).toContain("02-Meier-short");
    // the longer recording, which is first in the table
    expect((await cells(page, "Meier")).slice(0, before.length)).toEqual(before);
  });

  it("names a serial number of the roster without a recording, and lets the user select the correct tracker", async () => {
    const path = join(scene.beside, "roster.csv");
    writeFileSync(path, "player;serial;sprint (km/h)\nMeier;TRK-2;\nRoth;TRK-55;23,5\n");
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !/roster|Graf/.test(file)), path]);
    await ready(page);
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = page.getByRole("region", { name: "To check" });
    expect(await list.innerText()).toMatch(
      /roster\.csv, line 3\s+Unknown tracker “TRK-55”\. No recording here has this number, so this line and the periods of Roth have no effect\. TRK-5 \(05-Roth\.asi\) is not in the roster\./,
    );
    expect(await names(page)).toContain("05-Roth");
    await list.getByRole("button", { name: "It is TRK-5: roster.csv, line 3" }).click();
    await expect.poll(() => names(page)).toContain("Roth");
    expect(await list.innerText()).not.toContain("Unknown tracker");
  });

  it("names the actual and the expected headers of an invalid roster or periods file", async () => {
    const put = (name: string, text: string) => {
      writeFileSync(join(scene.beside, name), text);
      return join(scene.beside, name);
    };
    const sheets = [
      put("roster.csv", "Name;Tracker\nRoth;TRK-5\n"),
      put("periods.csv", "Name;Von;Bis\n1st half;14:00;14:30\n"),
    ];
    const page = await openPage();
    await chooseAll(page, [...scene.files.slice(0, 2), ...sheets]);
    await ready(page);
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = await page.getByRole("region", { name: "To check" }).innerText();
    const roster =
      "A roster needs the column player, and serial (numbers of trackers) or file (names of recordings).";
    const periods = "Periods need the columns period, start and end.";
    expect(list).toMatch(/roster\.csv, line 1\s/);
    expect(list).toContain(`${roster} The headers of this line are "Name", "Tracker".`);
    expect(list).toMatch(/periods\.csv, line 1\s/);
    expect(list).toContain(`${periods} The headers of this line are "Name", "Von", "Bis".`);
  });

  it("scrolls sideways only in its frame, at 360 pixels", async () => {
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

describe.skipIf(hasNoBrowser)("recordings of different times", () => {
  useBrowser();
  it("are compared", async () => {
    const page = await openPage();
    const fixtures = fileURLToPath(new URL("../../fixtures/valid", import.meta.url));
    await chooseAll(page, [join(fixtures, "ublox7.asi"), join(fixtures, "run-fix-loss.asi")]);
    await page.locator(".comparison tbody tr").nth(1).waitFor();
  });
});
