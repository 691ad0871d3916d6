import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encode } from "asi-convert";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { inLongForm } from "../../test/long-form.js";
import { fixturePath } from "./fixtures.js";
import { choose, hasNoBrowser, openPage, useBrowser } from "./page.js";

/** The size of the file, which is much larger than one read of the page. */
const BYTES = inLongForm(150e6, 20e6);
// a frame with a fix, without a heart rate
const BYTES_PER_ROW = 100;

describe.skipIf(hasNoBrowser)(`a file of ${BYTES / 1e6} MB`, () => {
  useBrowser();

  it("can be cancelled while it is read without losing the open recording, and opens with progress", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "asi-web-large-")), "large.asi");
    try {
      await writeLarge(path, BYTES);
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
      // Runs in the page. No event can then occur between the button and the click.
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

/** Selects a file by its path, because sending its content in a message would take longer than reading it. */
async function chooseOnDisk(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send("DOM.getDocument");
  const { nodeIds } = await session.send("DOM.querySelectorAll", {
    nodeId: root.nodeId,
    selector: "input[type=file]",
  });
  await session.send("DOM.setFileInputFiles", { nodeId: nodeIds.at(-1) ?? 0, files: [path] });
}

/** Returns rows in the form of a receiver, 100 ms apart. */
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
