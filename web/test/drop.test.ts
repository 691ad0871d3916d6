import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { fixturePath } from "./fixtures.js";
import { hasNoBrowser, openPage, useBrowser } from "./page.js";

/** Drops files onto the page separately, in quick succession. */
const drop = (page: Page, names: readonly string[]) =>
  page.evaluate(
    (files) => {
      for (const { name, bytes } of files) {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    names.map((name) => ({ name, bytes: [...readFileSync(fixturePath(`valid/${name}`))] })),
  );

const reading = (page: Page) => page.locator(".reading");

describe.skipIf(hasNoBrowser)("files dropped while others are read", () => {
  useBrowser();

  it("are read next, and shown beside the first ones", async () => {
    const page = await openPage();
    await drop(page, ["ublox7.asi", "run-fix-loss.asi"]);
    await page.getByRole("heading", { level: 1, name: "2 recordings" }).waitFor();
    await page.locator(".comparison tbody tr").nth(1).waitFor();
    expect(await reading(page).innerText()).toBe("");
  });

  it("are announced, and cancelled together with the first ones", async () => {
    const page = await openPage();
    // reads the page immediately after the second drop, and then presses Cancel
    const shown = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const status = document.querySelector(".reading");
          new MutationObserver(() => {
            const text = status?.textContent ?? "";
            if (!text.includes("more after it")) return;
            status?.querySelector("button")?.click();
            resolve(text);
          }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }),
    );
    await drop(page, ["ublox7.asi", "run-fix-loss.asi"]);
    expect(await shown).toContain("Reading ublox7.asi… 1 more after it.");
    await expect.poll(() => reading(page).innerText()).toBe("");
    await page.getByRole("heading", { name: "See a session" }).waitFor();
    // the cancelled files do not affect the next ones
    await drop(page, ["ublox7.asi"]);
    await page.locator(".cards").waitFor();
  });
});
