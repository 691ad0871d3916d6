import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encode } from "asi-convert";
import { describe, expect } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { pdfPages } from "./pdf-text.js";
import { isKept, loseStored } from "./squad-kept.js";
import { cells, chooseAll, download, head, names, ready, withMatch } from "./squad-page.js";
import { printedSquad } from "./squad-print.js";
import { squadRecording } from "./squad-scene.js";

const it = withMatch();
useBrowser();

describe.skipIf(hasNoBrowser)("the squad", () => {
  it("opens only the first player if the user clicks a second one while the first is being read", async ({
    open,
  }) => {
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

  it("names a recording that contains a wrong date, and shows the others", async ({ scene }) => {
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

  it("says that the match is without its extra time", async ({ scene }) => {
    const path = join(scene.beside, "periods.csv");
    const halves = "1st half,14:00,14:30\n2nd half,14:30,15:00\n";
    writeFileSync(path, `period,start,end\n${halves}Extra time,15:02,15:10\n`);
    const page = await openPage();
    await chooseAll(page, [...scene.files.filter((file) => !file.endsWith("periods.csv")), path]);
    await ready(page);
    const note = page.getByText("Match is the sum of the two halves, without extra time.");
    await note.waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await pdfPages(await printedSquad(page))).join()).toContain("without extra time");
    await page.getByRole("button", { name: "Session", exact: true }).click();
    await note.waitFor({ state: "detached" });
  });

  it("says that the periods are on a different day than the recordings", async ({ scene }) => {
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

  it("says which period has no data of any player, and when the recordings end", async ({ scene }) => {
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

  it("counts the undamaged recordings, even if a player has two", async ({ open }) => {
    const page = await open();
    // six recordings, one of which (Huber) is damaged
    expect(await page.locator(".squad-status").innerText()).toMatch(/^✓\s*5 recordings undamaged/);
  });

  it("lists omitted files with the reason, shows the others, and keeps a row for an unreadable file", async ({
    scene,
  }) => {
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

  it("is stored until it is closed, and a reload restores it", async ({ open }) => {
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
        const root = await navigator.storage.getDirectory();
        for await (const name of (await root.getDirectoryHandle("squad")).keys()) kept.push(name);
        return kept;
      });
    await expect.poll(left).toEqual([]);
  });

  it("names the files that the browser has removed, and shows the others", async ({ scene, open }) => {
    const page = await open();
    await page.getByText(/^Kept in this browser until you close the session/).waitFor();
    await loseStored(page, "02-Meier.asi.gz");
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

  it("opens every menu within the window of a phone", async ({ open }) => {
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

  it("counts the longer of two simultaneous recordings of a player, and names the other", async ({
    scene,
  }) => {
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

  it("counts a truncated copy and the whole recording of a tracker as one player without a roster", async ({
    scene,
  }) => {
    const page = await openPage();
    const short = join(scene.beside, "02-Meier-short.asi");
    writeFileSync(short, await squadRecording(7, "TRK-2", 10, 40));
    await chooseAll(page, [...scene.files.filter((file) => !/roster|periods/.test(file)), short]);
    await ready(page);
    expect(await names(page)).not.toContain("02-Meier-short");
    await page.getByRole("button", { name: /to check$/ }).click();
    const list = page.getByRole("region", { name: "To check" });
    expect(await list.innerText()).toContain(
      "They are of one tracker. The longest counts, and 02-Meier-short.asi is left out.",
    );
    await list.getByRole("button", { name: /^Keep apart: 02-Meier/ }).click();
    await expect.poll(() => names(page)).toContain("02-Meier-short");
    expect(await names(page)).toContain("02-Meier");
  });

  it("names a serial number of the roster without a recording, and lets the user select the correct tracker", async ({
    scene,
  }) => {
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

  it("names the actual and the expected headers of an invalid roster or periods file", async ({ scene }) => {
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
});

describe.skipIf(hasNoBrowser)("recordings of different times", () => {
  it("are compared", async () => {
    const page = await openPage();
    const fixtures = fileURLToPath(new URL("../../fixtures/valid", import.meta.url));
    await chooseAll(page, [join(fixtures, "ublox7.asi"), join(fixtures, "run-fix-loss.asi")]);
    await page.locator(".comparison tbody tr").nth(1).waitFor();
  });
});
