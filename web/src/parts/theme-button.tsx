import type { Settings } from "../view/settings.js";

/** Changes between light and dark. */
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
