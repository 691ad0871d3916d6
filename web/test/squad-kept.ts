import type { Page } from "playwright-core";

/** A squad that the browser stores, with the names and sizes of its files. */
export interface StoredSquad {
  folder: string;
  index: string;
  files: [string, number][];
}

/** Reads the squads that the browser stores. */
export const storedSquads = (page: Page): Promise<StoredSquad[]> =>
  page.evaluate(async () => {
    const found: StoredSquad[] = [];
    for await (const [folder, handle] of (
      await (await navigator.storage.getDirectory()).getDirectoryHandle("squad", { create: true })
    ).entries()) {
      try {
        const fileOf = async (name: string) =>
          (await (handle as FileSystemDirectoryHandle).getFileHandle(name)).getFile();
        const index = await (await fileOf("session.json")).text();
        const { files } = JSON.parse(index) as { files: { stored: string; name: string }[] };
        const sizes = files.map(
          async ({ stored, name }): Promise<[string, number]> => [name, (await fileOf(stored)).size],
        );
        found.push({ folder, index, files: await Promise.all(sizes) });
      } catch {
        // the browser may still be writing the files
      }
    }
    return found;
  });

/** Waits until the state of a squad that the browser stores contains a text. */
export async function isKept(page: Page, text: string): Promise<void> {
  while (!(await storedSquads(page)).some(({ index }) => index.includes(text))) await page.waitForTimeout(50);
}

/** Removes the content of a file, as the browser can. */
export const loseStored = (page: Page, wanted: string): Promise<void> =>
  page.evaluate(async (name) => {
    for await (const handle of (
      await (await navigator.storage.getDirectory()).getDirectoryHandle("squad")
    ).values()) {
      const folder = handle as FileSystemDirectoryHandle;
      const index = await (await folder.getFileHandle("session.json")).getFile();
      const { files } = JSON.parse(await index.text()) as { files: { stored: string; name: string }[] };
      await folder.removeEntry(files.find((file) => file.name === name)?.stored ?? "");
    }
  }, wanted);
