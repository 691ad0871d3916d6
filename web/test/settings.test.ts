import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_POLICY } from "../../server/src/http/browser/page-policy.js";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";
import { type Served, servePage } from "./serve.js";

// The smallest possible picture.
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

describe.skipIf(hasNoBrowser)("settings of the map", () => {
  useBrowser();
  let tiles: Server;
  let tileOrigin: string;
  let served: Served;
  let asked: string[] = [];

  beforeAll(async () => {
    tiles = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(200, { "content-type": "image/gif" }).end(PIXEL);
    });
    await new Promise<void>((resolve) => tiles.listen(0, "127.0.0.1", resolve));
    tileOrigin = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}`;
    const policy = PAGE_POLICY.replace("img-src 'self'", `img-src 'self' ${tileOrigin}`);
    served = await servePage(undefined, policy);
  });
  afterAll(async () => {
    await served.close();
    tiles.closeAllConnections();
    await new Promise((resolve) => tiles.close(resolve));
  });

  const enterTiles = async (page: Page) => {
    await page.getByText("Settings", { exact: true }).click();
    await page.getByLabel("Map background").fill(`${tileOrigin}/{z}/{x}/{y}.gif`);
    await page.getByLabel("Map background").press("Enter");
    await page.keyboard.press("Tab");
  };

  it("request no tiles unless an address is entered, and then only tiles of the track from that address", async () => {
    asked = [];
    const page = await openPage({ at: served.address, allowed: [tileOrigin] });
    await choose(page, fixturePath("valid/match-hr.asi"));
    await page.locator(".map > canvas").waitFor();
    expect(asked).toEqual([]);
    await enterTiles(page);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    for (const path of asked) expect(path).toMatch(/^\/\d+\/\d+\/\d+\.gif$/);
    await page.getByLabel("Map background").fill("");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.locator(".tiles img").count()).toBe(0);
  });

  it("cannot request tiles that the policy of the page forbids", async () => {
    asked = [];
    // the browser logs blocked requests, but does not send them
    const page = await openPage({ expected: [/Content Security Policy|violates/], allowed: [tileOrigin] });
    await choose(page, fixturePath("valid/run-fix-loss.asi"));
    await enterTiles(page);
    await page.locator(".tiles").waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    expect(asked).toEqual([]);
  });

  it("are completely visible on a phone", async () => {
    const page = await openPage({ viewport: { width: 360, height: 740 } });
    await choose(page, fixturePath("valid/run-fix-loss.asi"));
    await page.getByText("Settings", { exact: true }).click();
    const menu = await page.locator(".menu-body").boundingBox();
    if (menu === null) throw new Error("There is no menu.");
    expect(menu.x).toBeGreaterThanOrEqual(0);
    expect(menu.x + menu.width).toBeLessThanOrEqual(360);
    const name = await page.getByText("Pitch on the map", { exact: true }).boundingBox();
    expect(name?.x).toBeGreaterThanOrEqual(menu.x);
  });

  it("draw the outline of a pitch around the track of a match, on request", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    expect(await page.locator(".pitch path").count()).toBe(0);
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "Fitted" }).click();
    const outline = await page.locator(".pitch path").boundingBox();
    const map = await page.locator(".map").boundingBox();
    if (outline === null || map === null) throw new Error("There is no pitch.");
    expect(outline.width).toBeGreaterThan(map.width / 4);
    expect(outline.height).toBeGreaterThan(map.height / 6);
  });
});

describe.skipIf(hasNoBrowser)("the log of a receiver, which has no serial number", () => {
  useBrowser();

  it("is read after the user has entered one", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/ublox7-plain.asi"));
    await page.getByLabel("If it is a log of a u-blox receiver").fill("ROVER-1");
    await page.getByRole("button", { name: "Read it as a log" }).click();
    await page.getByText("ROVER-1").first().waitFor();
    await page.locator(".cards").waitFor();
  });
});
