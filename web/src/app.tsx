import { useSignalEffect } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { ComparisonProps } from "./comparison.js";
import {
  closeStored,
  filesOpener,
  findKeptSquad,
  keptSquad,
  openedSquad,
  removeKeptSquad,
  showDemonstration,
  showKeptSquad,
  shownPlayer,
} from "./opened-squad.js";
import { ChooseFiles, DropTarget } from "./parts/drop.js";
import { Empty } from "./parts/empty.js";
import { SettingsMenu } from "./parts/settings-menu.js";
import { Status } from "./parts/status.js";
import { ThemeButton } from "./parts/theme-button.js";
import type { Recording } from "./recording/recording.js";
import { titleOf } from "./recording/timeline.js";
import type { Workspace } from "./recording/workspace.js";
import type { Link } from "./view/link.js";
import { go, isAtViewerAddress, route } from "./view/route.js";
import { hasService } from "./view/service.js";
import type { Settings } from "./view/settings.js";
import { signedInAs } from "./view/signed-in.js";
import { isAtStart, leaveStart } from "./view/start-entry.js";
import { useLoaded } from "./view/use-loaded.js";
import { Viewer } from "./viewer.js";

const loadShell = () => import("./app/shell.js");
const loadNothing = async () => null;

/** Returns the route, or null while the page shows the viewer. Without a service, every address belongs to the viewer. */
function viewRoute() {
  const current = hasService.value === false ? null : route.value;
  return current === null || current.path.length === 0 ? null : current;
}

export function App({
  workspace,
  settings,
  linked,
}: {
  workspace: Workspace;
  settings: Settings;
  /** The link in the address of the page, or null if there is none. */
  linked: Link | null;
}) {
  const current = viewRoute();
  const onFiles = useMemo(() => filesOpener(workspace, settings), [workspace, settings]);
  const isViewerShown = current === null && !isAtStart.value;
  const squad = isViewerShown && shownPlayer.value === null ? openedSquad.value : null;
  const recordings = isViewerShown && squad === null ? workspace.opened.value : [];
  // other visitors do not load the rest of the page
  const isShellNeeded = useRef(false);
  isShellNeeded.current ||= hasService.value === true && (current !== null || signedInAs.value !== null);
  const Shell = useLoaded(isShellNeeded.current ? loadShell : loadNothing);
  const lastSignedIn = useRef(signedInAs.peek());
  useSignalEffect(() => {
    const before = lastSignedIn.current;
    lastSignedIn.current = signedInAs.value;
    // Also closes the data of the account. A file stays open if the page reads it while a user signs in.
    if (before !== null && before !== signedInAs.value) {
      workspace.closeFetched();
      closeStored();
    }
    findKeptSquad();
  });
  const lastOpened = useRef(workspace.opened.peek());
  useSignalEffect(() => {
    const before = lastOpened.current;
    const opened = workspace.opened.value;
    lastOpened.current = opened;
    if (opened === before || opened.length === 0 || viewRoute() !== null || isAtViewerAddress()) return;
    if (before.length === 0 || isAtStart.peek()) leaveStart();
  });
  useSignalEffect(() => {
    if (viewRoute() !== null) return;
    if (openedSquad.value !== null && shownPlayer.value === null && !isAtStart.value) {
      document.title = `${openedSquad.value.part.squadTitle(openedSquad.value.session)} · asi viewer`;
      return;
    }
    const opened = isAtStart.value ? [] : workspace.opened.value;
    document.title =
      opened.length === 0
        ? "asi viewer"
        : `${shownPlayer.value || opened.map(({ facts }) => titleOf(facts)).join(", ")} · asi viewer`;
  });
  const [first] = recordings;
  return (
    <>
      <header>
        <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
          <path d="M3 20c4 0 4-11 9-11s4 14 9 14 4-11 8-13" />
        </svg>
        {squad === null ? (
          <Brand recordings={recordings} player={shownPlayer.value} />
        ) : (
          <squad.part.SquadHeading session={squad.session} />
        )}
        {Shell === null ? null : <Shell.Navigation />}
        <span class="spacer" />
        {squad === null ? null : <squad.part.SquadButtons session={squad.session} />}
        {first === undefined ? null : shownPlayer.value !== null ? (
          <button type="button" onClick={() => history.back()}>
            Back to the squad
          </button>
        ) : (
          <>
            <ChooseFiles onFiles={onFiles} isAdding>
              Compare…
            </ChooseFiles>
            <ChooseFiles onFiles={onFiles}>Open…</ChooseFiles>
          </>
        )}
        <SettingsMenu settings={settings} />
        <ThemeButton settings={settings} />
        {hasService.value === true && signedInAs.value === null && current?.path[0] !== "sign-in" ? (
          <a class="button" href="#/sign-in">
            Sign in
          </a>
        ) : null}
      </header>
      <main tabIndex={-1}>
        {Shell === null ? null : <Shell.Overlays />}
        {current === null ? <Status workspace={workspace} /> : null}
        {squad !== null ? (
          <squad.part.SquadView session={squad.session} keeper={squad.keeper} />
        ) : current !== null ? (
          Shell === null ? (
            <Loading />
          ) : (
            <Shell.RoutedView current={current} workspace={workspace} settings={settings} />
          )
        ) : first === undefined ? (
          <Empty
            workspace={workspace}
            linked={linked}
            settings={settings}
            onFiles={onFiles}
            onSquad={() => showDemonstration(workspace, settings)}
            kept={keptSquad.value}
            onKept={{
              show: () => showKeptSquad(workspace, settings),
              remove: removeKeptSquad,
            }}
            squadTitle={
              openedSquad.value === null ? null : openedSquad.value.part.squadTitle(openedSquad.value.session)
            }
          />
        ) : recordings.length === 1 ? (
          <Viewer
            key={first.id}
            recording={first}
            reader={workspace.reader}
            settings={settings}
            linked={linked?.part ?? null}
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
      <DropTarget onFiles={onFiles} onDropped={showViewer} />
    </>
  );
}

const showViewer = () => {
  if (viewRoute() !== null && !isAtViewerAddress()) go("/");
};

const loadComparison = async () => (await import("./comparison.js")).Comparison;

function LazyComparison(props: ComparisonProps) {
  const Comparison = useLoaded(loadComparison);
  return Comparison === null ? <Loading /> : <Comparison {...props} />;
}

/** The message that appears if a part of the page takes long to load. */
function Loading() {
  return (
    <p class="muted late" role="status">
      Loading…
    </p>
  );
}

/** The heading of the page. It appears as soon as the page has content. */
function Brand({ recordings, player }: { recordings: readonly Recording[]; player: string | null }) {
  const [first] = recordings;
  if (first === undefined) return <span class="brand">asi viewer</span>;
  return (
    <h1 class="brand">
      {player || (recordings.length === 1 ? titleOf(first.facts) : `${recordings.length} recordings`)}
    </h1>
  );
}
