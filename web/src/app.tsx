import { useSignalEffect } from "@preact/signals";
import { ChooseFiles, DropTarget } from "./parts/drop.js";
import { Empty } from "./parts/empty.js";
import { Status } from "./parts/status.js";
import type { Workspace } from "./recording/workspace.js";
import type { Settings } from "./view/settings.js";
import { Viewer } from "./viewer.js";

/** The page. */
export function App({ workspace, settings }: { workspace: Workspace; settings: Settings }) {
  useSignalEffect(() => {
    document.documentElement.dataset.theme = settings.theme.value;
  });
  const recording = workspace.opened.value[0];
  return (
    <>
      <header>
        <span class="brand">asi viewer</span>
        <span class="spacer" />
        {recording === undefined ? null : <ChooseFiles workspace={workspace}>Open…</ChooseFiles>}
        <ThemeButton settings={settings} />
      </header>
      <main>
        <Status workspace={workspace} />
        {recording === undefined ? (
          <Empty workspace={workspace} />
        ) : (
          <Viewer key={recording.id} recording={recording} worker={workspace.worker} settings={settings} />
        )}
      </main>
      <DropTarget workspace={workspace} />
    </>
  );
}

function ThemeButton({ settings: { theme } }: { settings: Settings }) {
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
