import type { Settings } from "../view/settings.js";

/** Switches between the light and the dark theme. */
export function ThemeButton({ settings: { theme } }: { settings: Settings }) {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      aria-label={`Use the ${other} theme`}
      onClick={() => {
        theme.value = other;
      }}
    >
      <span aria-hidden="true">{theme.value === "dark" ? "☀" : "☾"}</span>
    </button>
  );
}
