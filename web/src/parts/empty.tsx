import { titlesOf } from "../recording/timeline.js";
import type { Workspace } from "../recording/workspace.js";
import type { KeptSquad } from "../view/kept-squad.js";
import type { Link } from "../view/link.js";
import type { Settings } from "../view/settings.js";
import { leaveStart } from "../view/start-entry.js";
import { day, timeOfDay } from "../view/times.js";
import { fileSize } from "../view/values.js";
import { ChooseFiles } from "./drop.js";
import type { OpenFiles } from "./open-files.js";

interface Props {
  workspace: Workspace;
  /** The link in the address of the page, or null if there is none. */
  linked: Link | null;
  settings: Settings;
  onFiles: OpenFiles;
  /** The title of the open squad, or null if there is none. */
  squadTitle: string | null;
  /** The squad that this browser stores, or null if there is none. */
  kept: KeptSquad | null;
  /** Shows the squad of a generated match. */
  onSquad: () => void;
  onKept: { show: () => void; remove: () => void };
}

/** The start page. */
export function Empty({ workspace, linked, settings, onFiles, squadTitle, kept, onSquad, onKept }: Props) {
  const opened = workspace.opened.value;
  const behind = squadTitle ?? (opened.length > 0 ? titlesOf(opened).join(", ") : null);
  return (
    <div class="empty">
      <svg class="picture" viewBox="0 0 120 64" aria-hidden="true">
        <path d="M4 44c12 0 12-32 24-32s12 44 26 44 12-48 26-48 12 40 36 28" />
      </svg>
      <h1>See a session</h1>
      {behind !== null ? (
        <p class="buttons">
          <button type="button" onClick={leaveStart}>
            Show {behind} again
          </button>
        </p>
      ) : linked !== null ? (
        <p role="note">{inWords(linked, settings)}</p>
      ) : null}
      {kept === null ? null : (
        <p class="kept" role="note">
          {kept.title}: {kept.recordings} {kept.recordings === 1 ? "recording is" : "recordings are"} kept in
          this browser.
          <button type="button" class="primary" onClick={onKept.show}>
            Show
          </button>
          <button type="button" onClick={onKept.remove}>
            Remove
          </button>
        </p>
      )}
      <p>
        Drop a folder or files here: <b>.asi</b>, FIT, GPX, TCX or CSV, also as .gz. Add <b>roster.csv</b> for
        names and <b>periods.csv</b> for halves.
      </p>
      <p class="buttons">
        <ChooseFiles onFiles={onFiles} class="primary">
          Choose files…
        </ChooseFiles>
        <ChooseFiles onFiles={onFiles} isFolder>
          Choose a folder…
        </ChooseFiles>
        <button type="button" onClick={onSquad}>
          Show a squad
        </button>
        <button type="button" onClick={() => workspace.openDemonstration([1])}>
          Show a demonstration
        </button>
        <button type="button" onClick={() => workspace.openDemonstration([1, 2, 3])}>
          Compare three players
        </button>
      </p>
      <p class="muted">
        Files are read here, in your browser. Nothing is uploaded, and the page works without a network after
        the first visit.
      </p>
    </div>
  );
}

/** Describes the content of a link, with the file that it needs. */
function inWords({ part, file }: Link, settings: Settings): string {
  const zone = settings.zone.value;
  const time =
    part === null
      ? ""
      : `${day(part.startMs, zone)}, ${timeOfDay(part.startMs, zone)} to ${timeOfDay(part.stopMs, zone)}`;
  if (file === null)
    return `This link shows ${time}. The link does not contain data. Choose the recording of that time.`;
  const named = `${file.name} (${fileSize(file.bytes)})`;
  return `This link shows ${part === null ? named : `${time} of ${named}`}. The link does not contain data. Choose that file.`;
}
