import type { Workspace } from "../recording/workspace.js";
import { ChooseFiles } from "./drop.js";

/** The page before anything is open. */
export function Empty({ workspace }: { workspace: Workspace }) {
  return (
    <div class="empty">
      <h1>See a recording</h1>
      <p>Drop one or several files here: .asi, FIT, GPX or TCX.</p>
      <p class="buttons">
        <ChooseFiles workspace={workspace} class="primary">
          Choose files…
        </ChooseFiles>
      </p>
      <p class="muted">Files are read in your browser. Nothing is uploaded.</p>
    </div>
  );
}
