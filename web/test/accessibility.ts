import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Nothing is said about what is right, or about where in the document a fault is. */
const OPTIONS = { runOnly: RULES, resultTypes: ["violations"], selectors: false };

/** What axe finds wrong: rule and element. */
export async function violations(page: Page): Promise<string[]> {
  // the policy of the page keeps scripts of others out, so axe comes through the debugger
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

/** How much wider than the window the page is. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** What moves, or would, by its styles: for somebody who asks for less of it that is nothing. */
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
