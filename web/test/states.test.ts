import { createWriteStream, readdirSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encode } from "asi-convert";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { movingParts, violations } from "./accessibility.js";
import { fixturePath } from "./fixtures.js";
import { card, choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

// a frame of a fix, without a heart rate
const BYTES_PER_ROW = 100;

describe.skipIf(hasNoBrowser)("every state of the page", () => {
  useBrowser();

  const STATES: Record<string, (page: Page) => Promise<unknown>> = {
    empty: async () => {},
    "one recording": (page) => choose(page, fixturePath("valid/match-hr.asi")),
    "a damaged recording": async (page) => {
      await choose(page, fixturePath("damaged/bad-checksums.asi"));
      await page.getByRole("region", { name: "Damaged places" }).waitFor();
    },
    "a file that cannot be read": (page) => choose(page, fixturePath("damaged/empty.asi")),
    "waveform and beats": async (page) => {
      await choose(page, fixturePath("valid/match-ecg.asi"));
      await page.getByRole("button", { name: "ECG and beats" }).click();
      await page.getByRole("region", { name: "Beats" }).waitFor();
      await page.getByText("Options", { exact: true }).click();
    },
    "several recordings by distance": async (page) => {
      await page.getByRole("button", { name: "Compare three players" }).click();
      await page.getByRole("button", { name: "Distance", exact: true }).click();
      await page.getByRole("slider").press("End");
    },
    "several recordings": async (page) => {
      await page.setInputFiles("input[type=file] >> nth=0", [
        fixturePath("valid/match-hr.asi"),
        fixturePath("valid/run-fix-loss.asi"),
      ]);
      await page.waitForSelector(".comparison");
    },
    "the settings": async (page) => {
      await choose(page, fixturePath("valid/match-hr.asi"));
      await page.getByText("Settings", { exact: true }).click();
    },
    "the table behind the plots": async (page) => {
      await choose(page, fixturePath("valid/match-hr.asi"));
      await page.getByText("The plots as a table").click();
      await page.getByRole("region", { name: "Values of the plots" }).waitFor();
    },
  };

  for (const [name, enter] of Object.entries(STATES)) {
    it(`is accessible by WCAG 2.2 AA in both themes and at two widths: ${name}`, async () => {
      for (const [width, colorScheme] of [
        [1440, "light"],
        // as 1280 pixels at 400 %
        [320, "dark"],
      ] as const) {
        const page = await openPage({ viewport: { width, height: 800 }, colorScheme });
        await enter(page);
        await page.waitForTimeout(100);
        expect(await violations(page)).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
      }
    });
  }
});

describe.skipIf(hasNoBrowser)("the page for people with other needs", () => {
  useBrowser();

  it("is accessible and needs no sideways scroll at 200 % zoom, and nothing in it moves by itself", async () => {
    // zoom halves the space in CSS pixels and doubles the pixels of each
    const page = await openPage({
      viewport: { width: 640, height: 400 },
      deviceScaleFactor: 2,
      reducedMotion: "reduce",
    });
    await choose(page, fixturePath("valid/match-ecg.asi"));
    await page.getByRole("button", { name: "ECG and beats" }).click();
    await page.getByRole("region", { name: "Beats" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    );
    expect(await movingParts(page)).toEqual([]);
  });
});

describe.skipIf(hasNoBrowser)("a file of 150 MB", () => {
  useBrowser();

  it("can be cancelled while it is read; what was open stays, and then opens with progress", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "asi-web-large-")), "large.asi");
    try {
      await writeLarge(path, 150e6);
      const page = await openPage();
      await choose(page, fixturePath("valid/match-hr.asi"));
      await page.evaluate(() => {
        const shares: number[] = [];
        Object.assign(window, { shares });
        new MutationObserver(() => {
          const bar = document.querySelector("progress");
          if (bar !== null && bar.value !== shares.at(-1)) shares.push(bar.value);
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
      });
      // In the page, where no part of the file can come between the button and the click.
      await page.evaluate(() => {
        const observer = new MutationObserver(() => {
          const buttons = [...document.querySelectorAll("button")];
          const cancel = buttons.find(({ textContent }) => textContent === "Cancel");
          if (cancel === undefined) return;
          observer.disconnect();
          cancel.click();
          document.documentElement.dataset.cancelled = "";
        });
        observer.observe(document.body, { subtree: true, childList: true });
      });
      await chooseOnDisk(page, path);
      await page.locator("html[data-cancelled]").waitFor();
      await expect.poll(() => page.locator("progress").count()).toBe(0);
      expect(await page.locator(".facts div", { hasText: "File" }).first().innerText()).toContain(
        "match-hr.asi",
      );
      await chooseOnDisk(page, path);
      await page.getByText("large.asi").and(page.locator("dd")).waitFor();
      const shares = await page.evaluate(() => (window as unknown as { shares: number[] }).shares);
      expect(shares.filter((share) => share > 0 && share < 1).length).toBeGreaterThan(3);
    } finally {
      await rm(dirname(path), { recursive: true, force: true });
    }
  });
});

/** Chooses a file by its path; as the content of a message it would take longer to send than to read. */
async function chooseOnDisk(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument");
  const { nodeIds } = await session.send("DOM.querySelectorAll", {
    nodeId: root.nodeId,
    selector: "input[type=file]",
  });
  await session.send("DOM.setFileInputFiles", { nodeId: nodeIds.at(-1) ?? 0, files: [path] });
}

/** Rows as a receiver writes them, 100 ms apart. */
function* steadyRows(count: number) {
  for (let i = 0; i < count; i++) {
    yield {
      timestamp: 1.7e12 + i * 100,
      latitude: 47 + (i % 1000) * 1e-6,
      longitude: 8,
      altitude: 400,
      speed: 3,
    };
  }
}

async function writeLarge(path: string, bytes: number): Promise<void> {
  const stream = encode(steadyRows(Math.ceil(bytes / BYTES_PER_ROW)), { serial: "LARGE" });
  await pipeline(Readable.fromWeb(stream as never), createWriteStream(path));
  expect((await stat(path)).size).toBeGreaterThanOrEqual(bytes);
}

describe.skipIf(hasNoBrowser)("files that mean no good", () => {
  useBrowser();

  it("cannot put markup into the page", async () => {
    const evil = `<img src=x onerror=alert(1)>`;
    const rows = [{ timestamp: 1.7e12, latitude: 47, longitude: 8, speed: 1 }];
    const stream = encode(rows, { serial: "EVIL", deviceName: evil.slice(0, 16) });
    const buffer = Buffer.from(await new Response(stream as BodyInit).arrayBuffer());
    const page = await openPage();
    await choose(page, { name: `${evil}.asi`, mimeType: "", buffer });
    await page.getByText(`${evil}.asi`).first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    const refused = await openPage();
    await choose(refused, { name: `${evil}.txt`, mimeType: "", buffer: Buffer.from("no recording") });
    await refused.getByText(`${evil}.txt could not be opened.`).waitFor();
    expect(await refused.locator("img").count()).toBe(0);
  });

  it("are read as one recording under a serial number, where they have several devices in them", async () => {
    const page = await openPage();
    await choose(page, fixturePath("damaged/foreign-header.asi"));
    await page.getByText("The file has recordings of several devices in it.").waitFor();
    await page.getByLabel("One serial number for the whole file").fill("TEAM-1");
    await page.getByRole("button", { name: "Read it as one recording" }).click();
    await page.getByText("TEAM-1").first().waitFor();
  });

  it("are shown or refused, every one of the damaged fixtures, and what is wrong with a file is at no byte of it", async () => {
    const page = await openPage();
    const names = readdirSync(fixturePath("damaged")).filter((name) => name.endsWith(".asi"));
    for (const name of names) {
      await page.setInputFiles("input[type=file] >> nth=-1", fixturePath(`damaged/${name}`));
      await page.waitForFunction((shown) => {
        const text = document.body.innerText;
        return text.includes(`${shown} could not be opened.`) || text.includes(`File\n${shown}`);
      }, name);
      expect(await page.locator(".problem").allInnerTexts()).not.toContainEqual(
        expect.stringMatching(/byte 0\b/),
      );
    }
  });
});

describe.skipIf(hasNoBrowser)("the page without a network", () => {
  useBrowser();

  it("opens after the first visit and shows a recording", async () => {
    const page = await openPage();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
    await page.context().setOffline(true);
    await page.reload();
    await choose(page, fixturePath("valid/match-hr.asi"));
    await expect.poll(() => card(page, "Distance")).not.toBe("–");
  });
});

describe.skipIf(hasNoBrowser)("a link to a view", () => {
  useBrowser();

  it("shows the same part with the same settings to someone with the same file", async () => {
    const page = await openPage();
    await choose(page, fixturePath("valid/match-hr.asi"));
    await page.getByRole("button", { name: "Zoom in on the plots" }).click();
    await page.getByText("Settings", { exact: true }).click();
    await page.getByRole("button", { name: "m/s", exact: true }).click();
    await page.getByRole("button", { name: "Copy a link" }).click();
    const { hash } = new URL(page.url());
    const distance = await card(page, "Distance");
    const other = await openPage({ hash });
    await choose(other, fixturePath("valid/match-hr.asi"));
    await expect.poll(() => card(other, "Distance")).toBe(distance);
    expect(await card(other, "Max speed")).toContain("m/s");
  });
});
