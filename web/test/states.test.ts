import { readdirSync } from "node:fs";
import { encode } from "asi-convert";
import { describe, expect, it } from "vitest";
import { inLongForm } from "../../test/long-form.js";
import { fixturePath } from "./fixtures.js";
import { card, choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

describe.skipIf(hasNoBrowser)("hostile files", () => {
  useBrowser();

  it("cannot inject markup into the page", async () => {
    const evil = `<img src=x onerror=alert(1)>`;
    const rows = [{ timestamp: 1.7e12, latitude: 47, longitude: 8, speed: 1 }];
    const stream = encode(rows, { serial: "EVIL", deviceName: evil.slice(0, 16) });
    const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
    const page = await openPage();
    await choose(page, { name: `${evil}.asi`, mimeType: "", buffer });
    await page.getByText(`${evil}.asi`).first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await choose(page, { name: `${evil}.txt`, mimeType: "", buffer: Buffer.from("no recording") });
    await page.getByText(`${evil}.txt could not be opened.`).waitFor();
    expect(await page.locator("img").count()).toBe(0);
  });

  it("are read as one recording with a serial number if they contain several devices", async () => {
    const page = await openPage();
    await choose(page, fixturePath("damaged/foreign-header.asi"));
    await page.getByText("The file contains recordings of several devices.").waitFor();
    await page.getByLabel("One serial number for the whole file").fill("TEAM-1");
    await page.getByRole("button", { name: "Read it as one recording" }).click();
    await page.getByText("TEAM-1").first().waitFor();
  });

  it("are shown or refused, and a problem of the whole file has no byte offset", async () => {
    const page = await openPage();
    const damaged = readdirSync(fixturePath("damaged")).filter((name) => name.endsWith(".asi"));
    for (const name of inLongForm(damaged, ["empty.asi", "no-row.asi", "torn-at-the-end.asi"])) {
      await page.setInputFiles(
        "input[type=file]:not([webkitdirectory]) >> nth=-1",
        fixturePath(`damaged/${name}`),
      );
      await page.waitForFunction((shown) => {
        const texts = [...document.querySelectorAll(".problem, .facts div")].map((one) => one.textContent);
        return texts.some(
          (text) => text?.includes(`${shown} could not be opened.`) || text === `File${shown}`,
        );
      }, name);
      expect(await page.locator(".problem").allInnerTexts()).not.toContainEqual(
        expect.stringMatching(/byte 0\b/),
      );
    }
  });
});

describe.skipIf(hasNoBrowser)("the page without a network", () => {
  useBrowser();

  it("opens after the first visit, and shows a recording", async () => {
    const page = await openPage({ serviceWorkers: "allow" });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
    await page.context().setOffline(true);
    await page.reload();
    await choose(page, fixturePath("valid/match-hr.asi"));
    await expect.poll(() => card(page, "Distance")).not.toBe("–");
  });
});

describe.skipIf(hasNoBrowser)("a link to a view", () => {
  useBrowser();

  it("says which file it needs, and shows the same part of that file with the same settings", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    await expect.poll(() => card(page, "Recorded")).toBe("12:00 min");
    await page.getByRole("button", { name: "Zoom in on the plots" }).click();
    // the figures of the part are computed a moment later
    await expect.poll(() => card(page, "Recorded")).not.toBe("12:00 min");
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "m/s", exact: true }).click();
    await page.getByRole("button", { name: "Copy a link" }).click();
    const { hash } = new URL(page.url());
    const distance = await card(page, "Distance");
    const other = await openPage({ hash });
    const needed = await other.getByRole("note").innerText();
    expect(needed).toMatch(/ 2025, \d\d:\d\d:\d\d to \d\d:\d\d:\d\d of match-hr\.asi \(738 kB\)/);
    await choose(other, fixturePath("valid/match-hr.asi"));
    await expect.poll(() => card(other, "Distance")).toBe(distance);
    expect(await card(other, "Max speed")).toContain("m/s");
  });
});
