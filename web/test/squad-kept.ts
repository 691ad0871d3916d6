import type { Page } from "playwright-core";

/** Waits until the state of the squad that the browser stores contains a text. */
export async function isKept(page: Page, text: string): Promise<void> {
  await page.waitForFunction(async (wanted) => {
    try {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("squad");
      const index = await (await folder.getFileHandle("session.json")).getFile();
      return (await index.text()).includes(wanted);
    } catch {
      // the browser may still be writing the file
      return false;
    }
  }, text);
}
