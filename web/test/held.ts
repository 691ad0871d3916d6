import type { Page, Route } from "playwright-core";

/** Delays requests until `release`. Tests of waiting states then need no clock. */
export async function held(page: Page, pattern: string | RegExp, method = "GET") {
  const waiting: Route[] = [];
  let isHeld = true;
  await page.route(pattern, (route) => {
    if (!isHeld || route.request().method() !== method) return route.continue();
    waiting.push(route);
  });
  const release = async () => {
    isHeld = false;
    for (const route of waiting) await route.continue();
  };
  return { waiting, release };
}
