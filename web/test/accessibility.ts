import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The results contain only violations, and omit their places in the document. */
const OPTIONS = { runOnly: RULES, resultTypes: ["violations"], selectors: false };

/** Returns the violations that axe finds, with rule and element. */
export async function violations(page: Page): Promise<string[]> {
  // uses the debugger to load axe, because the policy of the page blocks other scripts
  const session = await page.context().newCDPSession(page);
  const { result: type } = await session.send("Runtime.evaluate", { expression: "typeof axe" });
  if (type.value === "undefined") await session.send("Runtime.evaluate", { expression: AXE });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(${JSON.stringify(OPTIONS)}).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160)))))`,
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(result.value as string);
}

/** Returns the width of the page minus the width of the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** Elements with animations or transitions. Users who prefer reduced motion must see none. */
export function movingParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return transitionDuration !== "0s" || animationName !== "none";
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 100)),
  );
}
