import type { Page } from "playwright-core";

/** Prints a squad and returns the PDF of the browser. The first page of the report replaces the screen. */
export async function printedSquad(page: Page): Promise<Buffer> {
  // the page reacts to printing a moment after its part for paper has arrived
  await page.waitForFunction(() => {
    dispatchEvent(new Event("beforeprint"));
    const isDrawn = document.querySelector(".squad-paper > *") !== null;
    dispatchEvent(new Event("afterprint"));
    return isDrawn;
  });
  return await page.pdf({ preferCSSPageSize: true, printBackground: true });
}
