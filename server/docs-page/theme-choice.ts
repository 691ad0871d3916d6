export type Theme = "light" | "dark";

/** Where the page at `/` remembers what the user has chosen (`web/src/view/theme.ts`). */
const KEY = "asi-theme";

/** What the user has chosen here or on the page at `/`; otherwise what the browser prefers. */
function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === "light" || stored === "dark") return stored;
  } catch {
    // Storage is missing in private windows of some browsers.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function applyTheme(theme: Theme = chosenTheme()): Theme {
  document.documentElement.dataset.theme = theme;
  return theme;
}

export function rememberTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It is that of this page, then.
  }
}
