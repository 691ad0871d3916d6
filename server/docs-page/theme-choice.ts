export type Theme = "light" | "dark";

/** Storage key of the user's choice on the page at `/` (`web/src/view/theme.ts`). */
const KEY = "asi-theme";

/** Returns the theme that the user has chosen here or on the page at `/`; otherwise the preference of the browser. */
function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === "light" || stored === "dark") return stored;
  } catch {
    // Private windows of some browsers have no storage.
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
    // Without storage, the choice applies only to this page.
  }
}
