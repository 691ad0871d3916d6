import { effect, type Signal, signal } from "@preact/signals";
import { readStored, writeStored } from "./remembered.js";

export type ThemeChoice = "light" | "dark";

const KEY = "asi-theme";

/**
 * Returns the theme of the page. It is the user's choice, or by default the theme of the system, which may change at any time. During
 * printing, the theme is light, because paper is white.
 */
export function followedTheme(): Signal<ThemeChoice> {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const ofSystem = (): ThemeChoice => (system.matches ? "dark" : "light");
  const stored = readStored(KEY);
  let isChosen = stored === "light" || stored === "dark";
  const theme = signal<ThemeChoice>(stored === "light" || stored === "dark" ? stored : ofSystem());
  let isByItself = true;
  // runs before other effects of the theme, because plots read their colours from the styles
  effect(() => {
    const value = theme.value;
    document.documentElement.dataset.theme = value;
    if (isByItself) return;
    isChosen = true;
    writeStored(KEY, value);
  });
  isByItself = false;
  const changeByItself = (value: ThemeChoice) => {
    isByItself = true;
    theme.value = value;
    isByItself = false;
  };
  system.addEventListener("change", () => {
    if (!isChosen) changeByItself(ofSystem());
  });
  let beforePrinting = theme.peek();
  addEventListener("beforeprint", () => {
    beforePrinting = theme.peek();
    changeByItself("light");
  });
  addEventListener("afterprint", () => changeByItself(beforePrinting));
  return theme;
}
