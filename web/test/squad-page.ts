/** A squad in the page, and the same squad from the command. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Download, Page } from "playwright-core";
import { afterAll, test } from "vitest";
import { openPage } from "./page.js";
import { type SquadScene, squadScene } from "./squad-scene.js";

const ASI = fileURLToPath(new URL("../../dist/bin/asi.cjs", import.meta.url));

/** Runs `asi squad` on a folder. */
export function squadCommand(folder: string, ...options: string[]) {
  const args = [ASI, "squad", folder, "--tz", "Europe/Zurich", ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, output: stdout, errors: stderr };
}

/** Returns the rows of the command as objects. */
export const rowsOf = (folder: string, ...options: string[]): Record<string, string | number | null>[] =>
  squadCommand(folder, ...options, "--format", "jsonl")
    .output.trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Returns the output of the command for the folder of the match. */
export function command(folder: string, ...options: string[]): string {
  const { status, output, errors } = squadCommand(folder, ...options);
  // one of the recordings is damaged, and the command reports it
  if (status !== 0 && status !== 1 && status !== 3) throw new Error(errors);
  return output;
}

/** Opens files as a user does. */
export const chooseAll = (page: Page, files: string[]) =>
  page.setInputFiles("input[type=file] >> nth=0", files);

/** Waits until the table shows all recordings. */
export const ready = (page: Page) =>
  page.locator('.squad[aria-busy="false"] .squad-table [aria-sort]').waitFor();

/** Opens files as a squad in a new page. */
export async function openSquad(
  files: string[],
  options: Parameters<typeof openPage>[0] = {},
): Promise<Page> {
  const page = await openPage(options);
  await chooseAll(page, files);
  await ready(page);
  return page;
}

/**
 * Creates an `it` with a short match, which the tests of a file share: `scene` is its files, and `open` opens them in a new page.
 */
export function withMatch() {
  let made: SquadScene | undefined;
  afterAll(() => made?.remove());
  return test
    .extend("scene", { scope: "file" }, async () => {
      made = await squadScene();
      return made;
    })
    .extend(
      "open",
      ({ scene }) =>
        (options: Parameters<typeof openPage>[0] = {}) =>
          openSquad(scene.files, options),
    );
}

export const names = (page: Page) => page.locator(".squad-table tbody .player").allInnerTexts();
export const head = (page: Page, name: string) =>
  page.locator(".squad-table thead").getByRole("button", { name });

export const heads = (page: Page) => page.locator(".squad-table thead th button").allInnerTexts();

/** Returns the figures of a player under a head, and in `more` columns to the right of it. */
export async function figuresUnder(
  page: Page,
  player: string,
  name: string,
  more: number,
): Promise<string[]> {
  const at = (await heads(page)).findIndex((text) => text.startsWith(name));
  const texts = await page
    .locator(".squad-table tbody tr", { hasText: player })
    .locator("td")
    .allInnerTexts();
  return texts.slice(at - 1, at + more).map((text) => text.replace(/at least|[\s≥,]/g, ""));
}

/** Returns the figures of a player, without the texts for screen readers. */
export const cells = (page: Page, player: string) =>
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

/** Presses a button, and returns the file that the page saves. */
export async function download(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent("download") as Promise<Download>, press()]);
  return readFileSync(await file.path());
}

/** Returns the file that a button in the menu of exports saves. */
export async function exported(page: Page, button: string): Promise<Buffer> {
  await page.getByText("Export", { exact: true }).click();
  const file = await download(page, () => page.getByRole("button", { name: button, exact: true }).click());
  await page.keyboard.press("Escape");
  return file;
}
