import { useSignalEffect } from "@preact/signals";
import type { ComparisonProps } from "./comparison.js";
import { ChooseFiles, DropTarget } from "./parts/drop.js";
import { Empty } from "./parts/empty.js";
import { SettingsMenu } from "./parts/settings-menu.js";
import { Status } from "./parts/status.js";
import { ThemeButton } from "./parts/theme-button.js";
import type { Recording } from "./recording/recording.js";
import { titleOf } from "./recording/timeline.js";
import type { Workspace } from "./recording/workspace.js";
import type { Settings } from "./view/settings.js";
import { useLoaded } from "./view/use-loaded.js";
import type { TimeWindow } from "./view/window.js";
import { Viewer } from "./viewer.js";

/** The page. */
export function App({
  workspace,
  settings,
  linked,
}: {
  workspace: Workspace;
  settings: Settings;
  /** The part that the address of the page shows; null for none. */
  linked: TimeWindow | null;
}) {
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
        <Brand recordings={recordings} />
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
          <Viewer
            key={first.id}
            recording={first}
            reader={workspace.reader}
            settings={settings}
            linked={linked}
          />
        ) : (
          <LazyComparison
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

const loadComparison = async () => (await import("./comparison.js")).Comparison;

function LazyComparison(props: ComparisonProps) {
  const Comparison = useLoaded(loadComparison);
  return Comparison === null ? null : <Comparison {...props} />;
}

/** The heading of the page, once there is something on it. */
function Brand({ recordings }: { recordings: readonly Recording[] }) {
  const [first] = recordings;
  if (first === undefined) return <span class="brand">asi viewer</span>;
  return (
    <h1 class="brand">{recordings.length === 1 ? titleOf(first) : `${recordings.length} recordings`}</h1>
  );
}
