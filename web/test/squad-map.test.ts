/** Tests of the squad's map with real input: a moment of all players, playback, and track and heat map of a player. */
import { readFile } from "node:fs/promises";
import { encode } from "asi-convert";
import { pitchFrame } from "asi-convert/metrics";
import { readPitchCorners } from "asi-convert/squad-sheets";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overflow, violations } from "./accessibility.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";
import { isKept } from "./squad-kept.js";

const START = Date.UTC(2025, 4, 17, 12);
const MINUTE = 60;
const NAMES = ["Keller", "Meier", "Roth"];
const PITCH = { length: 105, width: 68 };
const METRES_PER_DEGREE = { north: 111_319.5, east: 111_319.5 * Math.cos((47 * Math.PI) / 180) };

/** Moves from -1 to 1 and back within a number of seconds. */
const zigzag = (seconds: number, once: number) => Math.abs(((seconds / once) % 1) * 4 - 2) - 1;

/** Returns the position of a player, metres from the middle. The players cross the whole pitch at different times. */
const placeOf = (player: number, second: number) => ({
  x: (PITCH.length / 2) * zigzag(second + 20 * player, 71),
  y: (PITCH.width / 2) * zigzag(second + 31 * player, 53),
});

/** Yields one row per second for an hour. */
function* rows(player: number) {
  for (let second = 0; second <= 60 * MINUTE; second++) {
    const { x, y } = placeOf(player, second);
    yield {
      timestamp: START + second * 1000,
      latitude: 47 + y / METRES_PER_DEGREE.north,
      longitude: 8 + x / METRES_PER_DEGREE.east,
      // each player stands still at a different time
      speed: second > 600 * player && second < 600 * player + 300 ? 0 : 4,
    };
  }
}

const named = (name: string, content: string | ArrayBuffer) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content as ArrayBuffer),
});

async function files() {
  const recordings = NAMES.map(async (name, i) =>
    named(
      `${name}.asi`,
      await new Response(encode(rows(i), { serial: `A${i}`, periodMs: 1000 }) as BodyInit).arrayBuffer(),
    ),
  );
  return [
    ...(await Promise.all(recordings)),
    named("roster.csv", "player,serial,number,position\nKeller,A0,1,GK\nMeier,A1,4,DF\nRoth,A2,9,FW\n"),
    // Roth enters in the tenth minute of the second half
    named(
      "periods.csv",
      "period,start,end,player\n1st half,12:05,12:25,\n2nd half,12:30,12:50,\n2nd half,12:40,12:50,Roth\n",
    ),
  ];
}

/** A canvas of this size without a line has a shorter data URL. */
const BLANK_LENGTH = 5000;

useBrowser();

describe.skipIf(hasNoBrowser)("the map of the squad", () => {
  let match: Awaited<ReturnType<typeof files>>;
  beforeAll(async () => {
    match = await files();
  });
  afterAll(() => {
    match = [];
  });

  const open = async (options: Parameters<typeof openPage>[0] = {}) => {
    const page = await openPage({ timezoneId: "UTC", ...options });
    await page.setInputFiles("input[type=file] >> nth=0", match);
    await page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();
    await page.getByRole("button", { name: "Map", exact: true }).click();
    await page.locator(".ground svg.pitch path").waitFor();
    return page;
  };
  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (box === null) throw new Error(`${selector} is not shown.`);
    return box;
  };
  const middleOf = async (locator: Locator) => {
    const box = await locator.boundingBox();
    if (box === null) throw new Error("It is not shown.");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  /** Presses the clock at a minute of the hour. The clock has margins of 14 px. */
  const press = async (page: Page, minute: number) => {
    const { x, y, width } = await boxOf(page, ".clock-slider");
    await page.mouse.click(x + 14 + (minute / 60) * (width - 28), y + 30);
  };
  const time = (page: Page) => page.locator(".squad-map-time strong").innerText();
  const secondOf = (text: string) =>
    text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) - 12 * 3600;
  const moment = (page: Page) => page.getByRole("list", { name: /^At / }).locator("li").allInnerTexts();
  const chosen = (page: Page) => page.getByRole("region", { name: "Chosen player" });
  /** Returns the pixels drawn over the pitch. */
  const picture = (page: Page) =>
    page.locator(".ground canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());

  it("draws a pitch under the players, horizontal and to scale", async () => {
    const page = await open();
    const { width, height } = await boxOf(page, ".ground svg.pitch path");
    expect(width / height).toBeGreaterThan((PITCH.length / PITCH.width) * 0.95);
    expect(width / height).toBeLessThan((PITCH.length / PITCH.width) * 1.05);
    expect(await violations(page)).toEqual([]);
  });

  it("shows the players on the pitch at the time of the cursor, and selects a player on a click", async () => {
    const page = await open();
    await press(page, 35);
    const at = secondOf(await time(page));
    expect(at).toBeGreaterThan(34 * MINUTE);
    expect(at).toBeLessThan(36 * MINUTE);
    // Roth has not entered yet
    expect((await moment(page)).map((line) => line.split(":")[0])).toEqual(["1 Keller", "4 Meier"]);
    await press(page, 45);
    await expect.poll(async () => (await moment(page)).length).toBe(3);
    expect((await moment(page))[2]).toMatch(/^9 Roth: 14\.4 km\/h, /);
    const pitch = await boxOf(page, ".ground svg.pitch path");
    const { x, y } = placeOf(1, secondOf(await time(page)));
    await page.mouse.click(
      pitch.x + (0.5 + x / PITCH.length) * pitch.width,
      pitch.y + (0.5 - y / PITCH.width) * pitch.height,
    );
    await chosen(page).getByRole("heading", { name: "4 Meier" }).waitFor();
    expect(await page.locator('.squad-table tr[aria-current="true"] .player').innerText()).toBe("Meier");
    // the map shows the same moment from the opposite side
    const [before = ""] = await moment(page);
    await page.getByRole("button", { name: "Turn" }).click();
    await expect.poll(async () => (await moment(page))[0]).not.toBe(before);
  });

  it("draws the speed of the selected player in the selected period", async () => {
    const page = await open();
    const plot = () =>
      page.locator(".chosen-plot canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const plots: string[] = [];
    for (const name of ["Keller", "Roth"]) {
      await page.locator(".squad-table tbody tr", { hasText: name }).locator("td").first().click();
      await chosen(page).getByRole("heading", { name }).waitFor();
      // the track is drawn, and differs from the track of the previous player
      const seen = ["", ...plots];
      await expect
        .poll(async () => {
          const [one, other] = [await plot(), await plot()];
          return one === other && one.length > BLANK_LENGTH && !seen.includes(one);
        })
        .toBe(true);
      plots.push(await plot());
    }
    expect(plots[1]).not.toBe(plots[0]);
    await page.getByRole("button", { name: "2nd half", exact: true }).first().click();
    await expect.poll(plot).not.toBe(plots[1]);
  });

  it("draws the pitch of pitch.csv instead of a fitted one, and reports errors in the file", async () => {
    // 100 x 60 m, its length 30 degrees from east
    const corner = (x: number, y: number) => {
      const [sin, cos] = [0.5, Math.sqrt(0.75)];
      const [east, north] = [x * cos - y * sin, x * sin + y * cos];
      return `${47 + north / METRES_PER_DEGREE.north},${8 + east / METRES_PER_DEGREE.east}`;
    };
    const lines = [corner(-50, -30), corner(50, -30), corner(50, 30), corner(-50, 30)];
    const withPitch = async (corners: string[]) => {
      const page = await openPage({ timezoneId: "UTC" });
      const csv = named("pitch.csv", ["latitude,longitude", ...corners, ""].join("\n"));
      await page.setInputFiles("input[type=file] >> nth=0", [...match, csv]);
      await page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();
      await page.getByRole("button", { name: "Map", exact: true }).click();
      await page.locator(".ground svg.pitch path").waitFor();
      return page;
    };
    const ratio = async (page: Page) => {
      const { width, height } = await boxOf(page, ".ground svg.pitch path");
      return width / height;
    };
    const page = await withPitch(lines);
    await expect.poll(() => ratio(page)).toBeCloseTo(100 / 60, 1);
    await press(page, 35);
    expect((await moment(page)).length).toBe(2);
    const wrong = await withPitch(lines.slice(1));
    await wrong.getByText(/^pitch\.csv: A pitch has 4 corners, but 3 are given\./).waitFor();
    expect(await ratio(wrong)).toBeGreaterThan(1.45);
    expect(await ratio(wrong)).toBeLessThan(1.65);
  });

  describe("the corners of the pitch", () => {
    const ratio = async (page: Page) => {
      const { width, height } = await boxOf(page, ".ground svg.pitch path");
      return width / height;
    };
    const edit = (page: Page) => page.getByRole("button", { name: "Corners", exact: true }).click();
    const corner = (page: Page, name: string) => page.getByRole("button", { name: `Corner ${name}` });
    const fitText = (page: Page) => page.locator(".corners-fit").innerText();
    const sizeIn = (text: string) => {
      const [length = 0, width = 0] = text.split(" m")[0]?.split(" × ").map(Number) ?? [];
      return { length, width };
    };
    const save = async (page: Page) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save as pitch.csv" }).click(),
      ]);
      return readPitchCorners(await readFile(await download.path(), "utf8"));
    };
    /** Moves the left side 10 m to the right, with the arrow keys. */
    const shorten = async (page: Page) => {
      for (const name of ["A", "D"]) {
        await corner(page, name).focus();
        for (let metre = 0; metre < 10; metre++) await page.keyboard.press("ArrowRight");
      }
    };

    it("move by mouse and keys, and take effect only when the user applies them", async () => {
      const page = await open();
      const before = await ratio(page);
      await edit(page);
      const fitted = await fitText(page);
      expect(sizeIn(fitted).length).toBeGreaterThan(100);
      await expect.poll(() => corner(page, "A").evaluate((one) => one === document.activeElement)).toBe(true);
      expect(await violations(page)).toEqual([]);
      const { x, y } = await middleOf(corner(page, "A"));
      const drag = async (from: number, to: number) => {
        await page.mouse.move(from, y);
        await page.mouse.down();
        await page.mouse.move(to, y, { steps: 3 });
        await page.mouse.up();
      };
      // moving only one corner leaves no rectangle
      await drag(x, x + 60);
      await page.getByText(/m are accepted/).waitFor();
      expect(await page.getByRole("button", { name: "Use this pitch" }).isDisabled()).toBe(true);
      await drag(x + 60, x);
      await expect.poll(() => fitText(page)).toBe(fitted);
      await shorten(page);
      const shorter = sizeIn(await fitText(page));
      expect(shorter.length).toBeCloseTo(sizeIn(fitted).length - 10, 0);
      expect(shorter.width).toBeCloseTo(sizeIn(fitted).width, 0);
      // the nearest corner moves to a press on the map
      await page.mouse.click(x, y + 10);
      expect((await middleOf(corner(page, "A"))).y).toBeCloseTo(y + 10, 0);
      await page.keyboard.press("Escape");
      expect(await ratio(page)).toBeCloseTo(before, 5);
      const button = page.getByRole("button", { name: "Corners", exact: true });
      await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
    });

    it("rotate with the map, and show a pitch without players near it", async () => {
      const page = await open();
      await press(page, 35);
      await edit(page);
      const [first] = await save(page);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Turn" }).click();
      await edit(page);
      // the former top right is at the bottom left
      const [, , opposite] = await save(page);
      expect(opposite.latitude).toBeCloseTo(first.latitude, 6);
      expect(opposite.longitude).toBeCloseTo(first.longitude, 6);
      await page.getByRole("button", { name: "Cancel" }).click();
      const far = [
        [47.003, 8],
        [47.003, 8.0014],
        [47.0036, 8.0014],
        [47.0036, 8],
      ];
      await page.setInputFiles(
        "input[type=file] >> nth=0",
        named("pitch.csv", ["latitude,longitude", ...far.map(String), ""].join("\n")),
      );
      await page
        .getByText("No player is near the pitch now. If this is wrong, move the corners of the pitch.")
        .waitFor();
    });

    it("are saved as pitch.csv, replace the fitted pitch, and remain after a reload", async () => {
      const page = await open();
      const before = await ratio(page);
      await edit(page);
      await shorten(page);
      const saved = await save(page);
      const frame = pitchFrame(saved);
      expect(frame.length).toBeCloseTo(sizeIn(await fitText(page)).length, 0);
      const east = (saved[0].longitude - 8) * METRES_PER_DEGREE.east;
      const north = (saved[0].latitude - 47) * METRES_PER_DEGREE.north;
      expect(Math.hypot(east - (10 - PITCH.length / 2), north + PITCH.width / 2)).toBeLessThan(2);

      await page.getByRole("button", { name: "Use this pitch" }).click();
      const used = frame.length / frame.width;
      await expect.poll(() => ratio(page)).toBeCloseTo(used, 1);
      await isKept(page, '"name":"pitch.csv"');
      await page.reload();
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByRole("button", { name: "Map", exact: true }).click();
      await expect.poll(() => ratio(page)).toBeCloseTo(used, 1);

      await edit(page);
      await page.getByRole("button", { name: "Fit to the positions" }).click();
      await expect.poll(() => ratio(page)).toBeCloseTo(before, 2);
    });
  });

  it("plays until a key stops it, or until the end of the period", async () => {
    const page = await open();
    await press(page, 32);
    const before = secondOf(await time(page));
    await page.getByRole("button", { name: "60×" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => secondOf(await time(page))).toBeGreaterThan(before + 30);
    expect(Number(await page.locator(".clock-slider").getAttribute("aria-valuenow"))).toBeGreaterThan(
      START + before * 1000,
    );
    await page.locator(".map-surface").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    const stopped = await time(page);
    await page.keyboard.press("p");
    await expect.poll(() => time(page)).not.toBe(stopped);
    // the first period follows the last
    expect(await time(page)).toBe("12:05:00");
    await press(page, 49);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    // all players of the last minute are visible
    await expect.poll(() => time(page)).toBe("12:50:00");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    expect((await moment(page)).length).toBe(3);
  });

  it("shows the track and the heat map of the selected player, in light and dark", async () => {
    const page = await open({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Track", exact: true }).click();
    await page.getByText("Choose a player in the table, or a dot under Moment.").waitFor();
    const nothing = await picture(page);
    await page.locator(".squad-table tbody tr", { hasText: "Keller" }).locator(".position").click();
    await chosen(page).getByRole("heading", { name: "1 Keller" }).waitFor();
    await expect.poll(() => picture(page)).not.toBe(nothing);
    const ofMatch = await picture(page);
    // figures and track belong to the same period
    await page.locator("fieldset").getByRole("button", { name: "1st half", exact: true }).click();
    await expect.poll(() => picture(page)).not.toBe(ofMatch);
    expect(await violations(page)).toEqual([]);
    const track = await picture(page);
    await page.getByRole("button", { name: "Heat", exact: true }).click();
    await expect.poll(() => picture(page)).not.toBe(track);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Use the light theme" }).click();
    expect(await violations(page)).toEqual([]);
  });

  it("fills the screen on a phone, where a strip moves its time, and stays within the window", async () => {
    const page = await open({ viewport: { width: 360, height: 800 } });
    const slider = page.getByRole("slider", { name: "Time of the map" });
    const period = page.getByLabel("Period", { exact: true });
    await period.selectOption("1st half");
    await slider.press("Home");
    await expect.poll(() => time(page)).toBe("12:05:00");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => time(page)).toBe("12:05:01");
    await period.selectOption("2nd half");
    await slider.press("End");
    await expect.poll(() => time(page)).toBe("12:50:00");
    expect(await overflow(page)).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});
