import type { Page } from "playwright-core";

/** The PDF that the browser prints of a squad, with the first page of the report in place of the screen. */
export async function printedSquad(page: Page): Promise<Buffer> {
  // the page listens for printing a moment after its part for paper has arrived
  await page.waitForFunction(() => {
    dispatchEvent(new Event("beforeprint"));
    const isDrawn = document.querySelector(".squad-paper > *") !== null;
    dispatchEvent(new Event("afterprint"));
    return isDrawn;
  });
  return await page.pdf({ preferCSSPageSize: true, printBackground: true });
}
