/** Tests of the squads of files that the browser stores. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { address, hasNoBrowser, openBeside, openPage, useBrowser } from "./page.js";
import { isKept, loseStored, storedSquads } from "./squad-kept.js";
import { chooseAll, head, names, ready, withMatch } from "./squad-page.js";
import { squadRecording } from "./squad-scene.js";

const it = withMatch();

const kept = (page: Page) => page.getByText(/^Kept in this browser until you close the session/).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function showAgain(page: Page): Promise<void> {
  await page.reload();
  await press(page, "Show");
  await ready(page);
}

const sizesOf = (paths: readonly string[]) =>
  paths.map((path): [string, number] => [basename(path), statSync(path).size]).sort();

const storedSizes = async (page: Page) => (await storedSquads(page)).map(({ files }) => files.sort());

describe.skipIf(hasNoBrowser)("a stored squad", () => {
  useBrowser();

  it("keeps the content of every file if files are replaced and added after a reload", async ({
    scene,
    open,
  }) => {
    const page = await open();
    await kept(page);
    await loseStored(page, "02-Meier.asi.gz");
    await showAgain(page);
    await page.getByRole("button", { name: /to check$/ }).click();
    await page.getByLabel("Choose again… 02-Meier.asi.gz").setInputFiles(scene.files[1] ?? "");
    await ready(page);
    await expect.poll(() => storedSizes(page)).toEqual([sizesOf(scene.files)]);
    await showAgain(page);
    const added = join(scene.beside, "07-Frei.asi");
    writeFileSync(added, await squadRecording(7, "TRK-7", 0, 30));
    await chooseAll(page, [added]);
    await ready(page);
    await expect.poll(() => storedSizes(page)).toEqual([sizesOf([...scene.files, added])]);
    await showAgain(page);
    expect(await names(page)).toEqual(expect.arrayContaining(["Meier", "07-Frei"]));
  });

  it("is independent of a squad in another tab", async ({ scene, open }) => {
    const first = await open();
    await kept(first);
    const second = await openBeside(first, address);
    const others = scene.files.slice(0, 2);
    await chooseAll(second, others);
    await ready(second);
    await kept(second);
    await head(first, "Sprints").click();
    await isKept(first, '"key":"sprints"');
    const both = [sizesOf(scene.files), sizesOf(others)];
    expect((await storedSizes(first)).sort((a, b) => b.length - a.length)).toEqual(both);
    // the start page of a third tab offers neither
    const third = await openBeside(first, address);
    await third.waitForTimeout(1500);
    expect(await third.getByText("kept in this browser").count()).toBe(0);
    await press(second, "Close and remove");
    await expect.poll(() => storedSizes(first)).toEqual([sizesOf(scene.files)]);
    await showAgain(first);
    expect(await names(first)).toHaveLength(5);
    await press(first, "Close and remove");
    await expect.poll(() => storedSizes(first)).toEqual([]);
  });

  it("is offered first by its own tab, and then those that were used last", async ({ scene, open }) => {
    const first = await open();
    await kept(first);
    const second = await openBeside(first, address);
    await chooseAll(second, scene.files.slice(0, 2));
    await ready(second);
    await kept(second);
    const third = await openBeside(first, address);
    await chooseAll(third, scene.files.slice(2, 5));
    await ready(third);
    await kept(third);
    await head(second, "Sprints").click();
    await isKept(second, '"key":"sprints"');
    await second.close();
    await third.close();
    await first.reload();
    for (const count of [6, 2]) {
      await first.getByText(`${count} recordings are kept in this browser.`).waitFor();
      await press(first, "Show");
      await ready(first);
      await press(first, "Close and remove");
    }
    await first.getByText("3 recordings are kept in this browser.").waitFor();
    await press(first, "Remove");
    await expect.poll(() => storedSizes(first)).toEqual([]);
  });

  it("stays with the four others that were used last, beside those that tabs show", async ({ open }) => {
    const first = await open();
    await kept(first);
    const [own] = await storedSquads(first);
    const second = await openBeside(first, address);
    const folders = async () => (await storedSquads(second)).map(({ folder }) => folder).sort();
    // squads that were stored one after another
    const copies = Array.from({ length: 6 }, (_, i) => `${9 - i}`);
    await second.evaluate(
      async ([names, index]) => {
        const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("squad");
        for (const name of names) {
          const folder = await root.getDirectoryHandle(name, { create: true });
          const writable = await (
            await folder.getFileHandle("session.json", { create: true })
          ).createWritable();
          await writable.write(JSON.stringify({ ...JSON.parse(index), files: [] }));
          await writable.close();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
      [copies, own?.index ?? ""] as const,
    );
    expect(await folders()).toHaveLength(7);
    await second.reload();
    await second.getByText("6 recordings are kept in this browser.").waitFor();
    expect(await folders()).toEqual([...copies.slice(1), own?.folder].sort());
  });

  it("stays when another is opened, until there is no space for both", async ({ scene, open }) => {
    const page = await open();
    await kept(page);
    await page.evaluate(async () => {
      const other = await navigator.storage.getDirectory();
      await other.getDirectoryHandle("another program", { create: true });
    });
    await page.reload();
    await page.getByText("6 recordings are kept in this browser.").waitFor();
    await chooseAll(page, scene.files.slice(0, 2));
    await ready(page);
    await kept(page);
    const latest = sizesOf(scene.files.slice(0, 2));
    await expect.poll(() => storedSizes(page)).toHaveLength(2);
    await page.reload();
    await page.evaluate(() => {
      // one removal frees enough
      const usages = [2 ** 30];
      navigator.storage.estimate = async () => ({ quota: 2 ** 30, usage: usages.pop() ?? 0 });
    });
    await chooseAll(page, scene.files.slice(2, 4));
    await ready(page);
    await kept(page);
    const stored = [latest, sizesOf(scene.files.slice(2, 4))];
    await expect.poll(() => storedSizes(page)).toEqual(expect.arrayContaining(stored));
    expect(await storedSizes(page)).toHaveLength(2);
    const others = await page.evaluate(async () => {
      const names: string[] = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names.sort();
    });
    expect(others).toEqual(["another program", "squad"]);
  });

  it("is not needed, as in a page without TLS", async ({ scene }) => {
    const page = await openPage({
      prepare: async (context) => {
        await context.addInitScript(() => {
          Object.defineProperty(navigator, "storage", { value: undefined });
          Object.defineProperty(crypto, "randomUUID", { value: undefined });
        });
      },
    });
    await chooseAll(page, scene.files.slice(0, 2));
    await ready(page);
    await page.getByText(/^Not kept in this browser: This browser does not store files/).waitFor();
  });

  it("can be shown in one tab only", async ({ open }) => {
    const first = await open();
    await kept(first);
    await first.reload();
    const note = (page: Page) => page.getByText("6 recordings are kept in this browser.");
    await note(first).waitFor();
    const second = await openBeside(first, address);
    await note(second).waitFor();
    await press(first, "Show");
    await ready(first);
    await press(second, "Show");
    await note(second).waitFor({ state: "detached" });
    expect(await second.locator(".squad").count()).toBe(0);
    expect(await storedSquads(first)).toHaveLength(1);
  });

  it("keeps its files and the other squads if an added file does not fit", async ({ scene }) => {
    const page = await openPage();
    const small = [scene.files[4] ?? "", scene.files[7] ?? ""];
    await chooseAll(page, small);
    await ready(page);
    await kept(page);
    await page.reload();
    await chooseAll(page, scene.files);
    await ready(page);
    await kept(page);
    await showAgain(page);
    await page.evaluate(() => {
      navigator.storage.estimate = async () => ({ quota: 1000, usage: 900 });
    });
    const added = join(scene.beside, "copy-of-Roth.asi");
    // more than the other squad would free
    const size = sizesOf(small).reduce((sum, [, bytes]) => sum + bytes, 10_000);
    writeFileSync(added, readFileSync(scene.files[5] ?? "").subarray(0, size));
    await chooseAll(page, [added]);
    await ready(page);
    await page
      .getByText(/^Not everything is kept in this browser: It needs .+ is free\. Keep this tab open\.$/)
      .waitFor();
    await head(page, "Sprints").click();
    await isKept(page, '"key":"sprints"');
    const both = [sizesOf(small), sizesOf(scene.files)];
    expect((await storedSizes(page)).sort((a, b) => a.length - b.length)).toEqual(both);
    // the open files rest on the stored ones
    await press(page, "Meier");
    await page.getByRole("heading", { level: 1, name: "Meier" }).waitFor();
  });
});
