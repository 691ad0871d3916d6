/** Tests of the squad's clock with real input: strips, brush, periods and keys. */
import { encode } from "asi-convert";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "./accessibility.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";

const START = Date.UTC(2025, 4, 17, 12);
const MINUTE = 60;
/** Returns whether a second is in one of two halves of 40 minutes, with pauses of 10 minutes around them. */
const isHalf = (second: number) =>
  (second >= 10 * MINUTE && second < 50 * MINUTE) || (second >= 60 * MINUTE && second < 100 * MINUTE);

const NAMES = ["Keller", "Meier", "Roth"];
/** This player leaves in the middle of the second half. */
const SUBSTITUTE = "Fritsch";
const isPlay = (second: number, name: string) =>
  isHalf(second) && (name !== SUBSTITUTE || second < 80 * MINUTE);

/** Yields one row per second. Players run back and forth at 3 m/s while the squad plays, and stand still otherwise. */
function* rows(name: string) {
  for (let second = 0; second <= 110 * MINUTE; second++) {
    const speed = isPlay(second, name) ? 3 : 0;
    yield {
      timestamp: START + second * 1000,
      latitude: 47 + (second % 61) / 100_000,
      // each player starts at a different place, because the page would otherwise ignore equal recordings as copies
      longitude: 8 + ((second + 7 * name.length) % 97) / 100_000,
      speed,
    };
  }
}

function files(names: readonly string[]) {
  const recordings = names.map(async (name, i) => ({
    name: `${name}.asi`,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(
      await new Response(encode(rows(name), { serial: `A${i}`, periodMs: 1000 })).arrayBuffer(),
    ),
  }));
  return Promise.all(recordings);
}

async function textOf(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

useBrowser();

describe.skipIf(hasNoBrowser)("the clock of the squad", () => {
  let recordings: Awaited<ReturnType<typeof files>>;
  beforeAll(async () => {
    recordings = await files([...NAMES, SUBSTITUTE]);
  });
  afterAll(() => {
    recordings = [];
  });

  const open = async (colorScheme: "light" | "dark" = "light", names = NAMES) => {
    const page = await openPage({ timezoneId: "UTC", colorScheme });
    const files = recordings.filter(({ name }) => names.includes(name.replace(".asi", "")));
    await page.setInputFiles("input[type=file] >> nth=0", files);
    await page.locator(".clock-chip.suggested").first().waitFor();
    return page;
  };
  const boxOf = async (page: Page) => {
    const box = await page.locator(".clock-slider").boundingBox();
    if (box === null) throw new Error("The clock is not shown.");
    return box;
  };
  /** Drags from one minute of the session to another. The clock has margins of 14 px. */
  const drag = async (page: Page, fromMinute: number, toMinute: number) => {
    const { x, y, width } = await boxOf(page);
    const at = (minute: number) => x + 14 + (minute / 110) * (width - 28);
    await page.mouse.move(at(fromMinute), y + 30);
    await page.mouse.down();
    await page.mouse.move(at((fromMinute + toMinute) / 2), y + 30);
    await page.mouse.move(at(toMinute), y + 30);
    await page.mouse.up();
  };
  const minutes = (page: Page) => page.locator(".squad-table tbody tr >> nth=0 >> td >> nth=0").innerText();
  const chip = (page: Page, name: RegExp) => page.locator("thead").getByRole("button", { name });

  it("suggests the halves, uses one on a click, and undoes this with Ctrl Z", async () => {
    const page = await open();
    expect(await page.locator(".clock-chip.suggested").allInnerTexts()).toEqual(["1st half?", "2nd half?"]);
    const whole = await minutes(page);
    await chip(page, /^Use suggested 1st half, 12:10:00 to 12:50:00/).click();
    await chip(page, /^1st half/).click();
    await expect.poll(() => minutes(page)).toBe("40");
    await page.keyboard.press("Control+z");
    await expect.poll(() => page.locator(".clock-chip.suggested").count()).toBe(2);
    // the table does not stay at a deleted period
    await expect.poll(() => minutes(page)).toBe(whole);
    expect(await violations(page)).toEqual([]);
  });

  it("selects the dragged time, shows its figures, and can turn it into a period", async () => {
    const page = await open("dark");
    await drag(page, 20, 40);
    await expect.poll(() => minutes(page)).toBe("20");
    const card = page.getByRole("dialog", { name: "Create a period" });
    await card.getByLabel("Name").fill("Pressing");
    await card.getByLabel("From").fill("12:20");
    await card.getByLabel("to").fill("12:35");
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Create the period" }).click();
    await expect.poll(() => minutes(page)).toBe("15");
    expect(await chip(page, /^Pressing, 12:20:00 to 12:35:00/).getAttribute("aria-pressed")).toBe("true");
    // the button × clears the selection
    await drag(page, 60, 70);
    await card.getByRole("button", { name: "Clear the selection" }).click();
    await expect.poll(() => minutes(page)).toBe("15");
  });

  it("zooms by the wheel and to the selection, and shows everything on Escape", async () => {
    const page = await open();
    const ticks = () => page.locator(".clock-ticks small").allInnerTexts();
    // the clock shows a single tick until its place is measured
    await expect.poll(async () => (await ticks()).length).toBeGreaterThan(1);
    const whole = await ticks();
    const { x, y, width } = await boxOf(page);
    await page.mouse.move(x + width / 2, y + 30);
    await page.mouse.wheel(0, -1500);
    await expect.poll(ticks).not.toEqual(whole);
    await page.locator(".clock-slider").focus();
    await page.keyboard.press("Escape");
    await expect.poll(ticks).toEqual(whole);
    await drag(page, 20, 25);
    await page.getByRole("button", { name: "Zoom here" }).click();
    await expect.poll(async () => (await ticks()).includes("12:21")).toBe(true);
  });

  it("is a slider for the keyboard, on which Shift selects and Enter opens the card", async () => {
    const page = await open();
    const slider = page.getByRole("slider", { name: "Clock" });
    await slider.focus();
    await page.keyboard.press("Home");
    expect(await slider.getAttribute("aria-valuetext")).toBe("12:00:00");
    await page.keyboard.press("ArrowRight");
    // a step is 1/200 of 110 minutes
    expect(await slider.getAttribute("aria-valuetext")).toBe("12:00:33");
    await page.keyboard.press("Shift+End");
    expect(await slider.getAttribute("aria-valuetext")).toContain("selected 12:00:33 to 13:50:00");
    await page.keyboard.press("Enter");
    // the first selection loads the card
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("placeholder")))
      .toBe("Period 1");
    await page.keyboard.press("Escape");
    expect(await slider.getAttribute("aria-valuetext")).not.toContain("selected");
    // sprints are counted after the table appears
    await expect
      .poll(() => page.locator("[data-strip]").first().innerText())
      .toMatch(/^Recorded 12:00 to 13:50, 0 sprints$/);
  });

  it("asks about players who stop playing and no others, and uses the times only if confirmed", async () => {
    const page = await open("light", [...NAMES, SUBSTITUTE]);
    const asks = page.getByRole("button", { name: "1 to check" });
    await page.getByRole("button", { name: "Periods…" }).click();
    const editor = page.getByRole("dialog", { name: "Periods" });
    await editor.getByRole("button", { name: "Use all 2" }).click();
    await page.getByRole("button", { name: /^2nd half, / }).click();
    const mean = () => page.locator(".squad-table tfoot tr").first().innerText();
    // no mean includes the substitute, before the times are used and after
    await expect.poll(mean).toMatch(new RegExp(`^Mean\\s+of ${NAMES.length}, whole period`));
    const before = await mean();
    await asks.click();
    const list = page.getByRole("region", { name: "To check" });
    expect(await list.innerText()).toContain(
      "1 player seems to come on, go off or sit out: they leave or join",
    );
    expect(await editor.innerText()).toContain("13:20 Fritsch off.");
    expect(await violations(page)).toEqual([]);
    await list.getByRole("button", { name: "Use: Periods" }).click();
    await expect
      .poll(() => page.locator("[data-strip]").allInnerTexts())
      .toContainEqual(expect.stringContaining("On 12:10 to 12:50 and 13:00 to 13:20, goes off at 13:20"));
    expect(await asks.count()).toBe(0);
    await expect.poll(() => page.locator('.squad[aria-busy="false"]').count()).toBe(1);
    expect(await mean()).toBe(before);
    // Undo brings the question back, until the user answers that all played
    await page.keyboard.press("Control+z");
    await editor.getByRole("button", { name: "All played" }).click();
    await expect.poll(() => page.getByText(/seems to come on/).count()).toBe(0);
  });

  it("edits periods with separate times of a player, and saves them as periods.csv", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Periods…" }).click();
    const editor = page.getByRole("dialog", { name: "Periods" });
    await editor.getByRole("button", { name: "Use all 2" }).click();
    await expect.poll(() => page.locator(".squad-table caption").innerText()).toContain("Match");
    await editor.getByRole("button", { name: "Players of 2nd half" }).click();
    await editor.getByLabel("Roth to").fill("13:20");
    await editor.getByLabel("Roth to").press("Tab");
    await editor.getByLabel("Meier", { exact: true }).first().uncheck();
    await expect
      .poll(() => page.locator("[data-strip]").allInnerTexts())
      .toContainEqual(expect.stringContaining("On 12:10 to 12:50 and 13:00 to 13:20, goes off at 13:20"));
    expect(await violations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      editor.getByRole("button", { name: "Save as periods.csv" }).click(),
    ]);
    expect(await textOf(download)).toBe(
      "period,start,end,player\n1st half,12:10:00,12:50:00,\n2nd half,13:00:00,13:40:00,\n2nd half,13:00:00,13:20:00,Roth\n2nd half,-,-,Meier\n",
    );
  });

  it("says whose times are outside a period after a mistyped end, and restores them when it is corrected", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Periods…" }).click();
    const editor = page.getByRole("dialog", { name: "Periods" });
    await editor.getByRole("button", { name: "Use all 2" }).click();
    await editor.getByRole("button", { name: "Players of 2nd half" }).click();
    await editor.getByLabel("Roth to").fill("13:20");
    await editor.getByLabel("Roth to").press("Tab");
    const end = editor.getByLabel("End of 2nd half");
    await end.fill("13:05");
    await end.press("Tab");
    await editor.getByText("Times outside 2nd half do not count: Roth.").waitFor();
    expect(await violations(page)).toEqual([]);
    await end.fill("13:41");
    await end.press("Tab");
    await editor.getByText("do not count").waitFor({ state: "detached" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      editor.getByRole("button", { name: "Save as periods.csv" }).click(),
    ]);
    expect(await textOf(download)).toContain(
      "2nd half,13:00:00,13:41:00,\n2nd half,13:00:00,13:20:00,Roth\n",
    );
  });

  it("preserves the times of a player of the roster who has no recording", async () => {
    const page = await open();
    const sheet = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.setInputFiles("input[type=file] >> nth=0", [
      sheet("roster.csv", "player,serial\nKeller,A0\nMeier,A1\nRoth,A2\nVogel,A9\n"),
      sheet("periods.csv", "period,start,end,player\nDrill,12:10,12:20,\nDrill,-,-,Vogel\n"),
    ]);
    await chip(page, /^Drill/).waitFor();
    await page.getByRole("button", { name: "Periods…" }).click();
    const editor = page.getByRole("dialog", { name: "Periods" });
    await editor.getByRole("button", { name: "Add a period" }).click();
    expect(await editor.getByRole("alert").count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      editor.getByRole("button", { name: "Save as periods.csv" }).click(),
    ]);
    expect(await textOf(download)).toContain("Drill,-,-,Vogel\n");
  });
});
