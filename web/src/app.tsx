import { useSignalEffect } from "@preact/signals";
import { Comparison } from "./comparison.js";
import { ChooseFiles, DropTarget } from "./parts/drop.js";
import { Empty } from "./parts/empty.js";
import { SettingsMenu } from "./parts/settings-menu.js";
import { Status } from "./parts/status.js";
import { ThemeButton } from "./parts/theme-button.js";
import { titleOf } from "./recording/timeline.js";
import type { Workspace } from "./recording/workspace.js";
import type { Settings } from "./view/settings.js";
import { Viewer } from "./viewer.js";

/** The page. */
export function App({ workspace, settings }: { workspace: Workspace; settings: Settings }) {
  const recordings = workspace.opened.value;
  useSignalEffect(() => {
    const opened = workspace.opened.value;
    document.title = opened.length === 0 ? "asi viewer" : `${opened.map(titleOf).join(", ")} · asi viewer`;
  });
  const [first] = recordings;
  return (
    <>
      <header>
        <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M3 20c4 0 4-11 9-11s4 14 9 14 4-11 8-13" />
        </svg>
        <span class="brand">
          {recordings.length === 1 && first !== undefined ? titleOf(first) : "asi viewer"}
        </span>
        <span class="spacer" />
        {first === undefined ? null : (
          <>
            <ChooseFiles workspace={workspace} isAdding>
              Compare…
            </ChooseFiles>
            <ChooseFiles workspace={workspace}>Open…</ChooseFiles>
          </>
        )}
        <SettingsMenu settings={settings} />
        <ThemeButton settings={settings} />
      </header>
      <main>
        <Status workspace={workspace} />
        {first === undefined ? (
          <Empty workspace={workspace} />
        ) : recordings.length === 1 ? (
          <Viewer key={first.id} recording={first} reader={workspace.reader} settings={settings} />
        ) : (
          <Comparison
            key={recordings.map(({ id }) => id).join()}
            recordings={recordings}
            reader={workspace.reader}
            settings={settings}
            onClose={(id) => workspace.close(id)}
          />
        )}
      </main>
      <DropTarget workspace={workspace} />
    </>
  );
}
