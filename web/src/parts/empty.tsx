import type { Workspace } from "../recording/workspace.js";
import { ChooseFiles } from "./drop.js";

/** The page before anything is open. */
export function Empty({ workspace }: { workspace: Workspace }) {
  return (
    <div class="empty">
      <svg class="picture" viewBox="0 0 120 64" aria-hidden="true">
        <path d="M4 44c12 0 12-32 24-32s12 44 26 44 12-48 26-48 12 40 36 28" />
      </svg>
      <h1>See a session</h1>
      <p>
        Drop recordings here: <b>.asi</b>, FIT, GPX, TCX or CSV. Several at once are compared.
      </p>
      <p class="buttons">
        <ChooseFiles workspace={workspace} class="primary">
          Choose files…
        </ChooseFiles>
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
