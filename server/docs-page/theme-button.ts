import { applyTheme, rememberTheme, type Theme } from "./theme-choice.js";

/** Switches between light and dark, and follows the choice in other tabs and the theme of the system. */
export function themeButton(button: HTMLElement): void {
  let theme: Theme = "light";
  const sign = document.createElement("span");
  sign.ariaHidden = "true";
  button.append(sign);
  const other = () => (theme === "dark" ? "light" : "dark");
  const show = (chosen: Theme) => {
    theme = chosen;
    sign.textContent = theme === "dark" ? "☀" : "☾";
    button.ariaLabel = `Use the ${other()} theme`;
  };
  show(applyTheme());
  button.addEventListener("click", () => {
    show(applyTheme(other()));
    rememberTheme(theme);
  });
  addEventListener("storage", () => show(applyTheme()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(applyTheme()));
}
