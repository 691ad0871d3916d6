import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** An upper bound of the number of elements in a view. */
const MOST_STEPS = 90;

/** A user without a mouse. Each element that receives the focus must be visible and must show the focus. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Makes the page count the events of mouse, pen and finger, for `pointerEvents`. */
  static async of(page: Page): Promise<Keyboard> {
    await page.evaluate(() => {
      Object.assign(window, { pointerEvents: 0 });
      const count = () => {
        (window as unknown as { pointerEvents: number }).pointerEvents += 1;
      };
      for (const type of ["pointerdown", "pointermove", "mousedown", "mousemove", "wheel"])
        addEventListener(type, count, { capture: true, passive: true });
    });
    return new Keyboard(page);
  }

  pointerEvents(): Promise<number> {
    return this.#page.evaluate(() => (window as unknown as { pointerEvents: number }).pointerEvents);
  }

  /** Presses a key until an element has the focus. */
  async to(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    await target.waitFor();
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const { isReached, problem } = await target.evaluate(focusState);
      expect(steps === 0 ? null : problem).toBe(null);
      if (isReached) return;
      await this.#page.keyboard.press(key);
    }
    expect.fail(`${target} is not reached with ${key}.`);
  }

  /** Activates a link or a button by its name. */
  async press(name: string | RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    const named = { name, exact: typeof name === "string" };
    const target = this.#page.getByRole("button", named).or(this.#page.getByRole("link", named));
    await this.to(target.first(), key);
    await this.#page.keyboard.press("Enter");
  }

  /** Replaces the text of a field. */
  async fill(label: string, text: string): Promise<void> {
    await this.to(this.#page.getByLabel(label, { exact: true }));
    await this.#page.keyboard.press("ControlOrMeta+A");
    await this.#page.keyboard.type(text);
  }

  async keys(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }
}

/** Returns whether an element has the focus, and what prevents users from seeing the focus. Runs in the page. */
function focusState(target: Element): { isReached: boolean; problem: string | null } {
  const element = document.activeElement;
  const isReached = element === target;
  // between the last and the first element, the focus is in the window of the browser
  if (element === null || element === document.body) return { isReached, problem: null };
  const wrong = (what: string) => ({ isReached, problem: `${what}: ${element.outerHTML.slice(0, 160)}` });
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 1) return wrong("has no outline");
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (right - left < 1 || bottom - top < 1) return wrong("has no size");
  const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
  if (x <= 0 || x >= innerWidth || y <= 0 || y >= innerHeight) return wrong("is out of sight");
  const above = document.elementFromPoint(x, y);
  if (above === null || !(element.contains(above) || above.contains(element))) {
    return wrong(`is covered by ${above?.outerHTML.slice(0, 80)}`);
  }
  return { isReached, problem: null };
}
