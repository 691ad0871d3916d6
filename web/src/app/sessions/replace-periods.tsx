import { ApiError, type Client } from "asi-client";
import { useState } from "preact/hooks";
import type { Zone } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Form } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { LineProblems } from "../squads/line-problems.js";
import { type LineProblem, refusedLines } from "../squads/roster-file.js";

interface Props {
  client: Client;
  session: number;
  /** The entity tag of the current periods. */
  tag: string | null;
  zone: Zone;
  onClose: () => void;
  onDone: () => void;
}

/** Replaces the periods of a session with those from periods.csv, the file of `asi squad`. */
export function ReplacePeriods({ client, session, tag: latestTag, zone, onClose, onDone }: Props) {
  // the entity tag of the periods that the user saw, because the session may reload while the dialog is open
  const [tag] = useState(latestTag);
  const [lines, setLines] = useState<readonly LineProblem[]>([]);
  return (
    <Dialog title="Replace the periods" onClose={onClose}>
      <Form
        action="Replace"
        onCancel={onClose}
        onSubmit={async (_, form) => {
          setLines([]);
          const file = (form.elements.namedItem("file") as HTMLInputElement).files?.[0];
          if (file === undefined) throw new FormProblem({ file: "Choose the file." });
          const { data, error, response } = await client.PUT("/api/v2/sessions/{session}/periods/", {
            params: { path: { session }, query: { tz: zoneName(zone) } },
            headers: { "Content-Type": "text/csv", ...(tag === null ? {} : { "If-Match": tag }) },
            // the service detects the encoding of the bytes
            body: (await file.arrayBuffer()) as never,
            bodySerializer: (csv: unknown) => csv as ArrayBuffer,
          });
          if (data === undefined) {
            const refused = new ApiError(response, error);
            setLines(refusedLines(refused));
            if (refusedLines(refused).length === 0) throw refused;
            throw new FormProblem({
              "": "Nothing is replaced. Correct these lines of the file, then try again.",
            });
          }
          announce("The periods are replaced.");
          onDone();
        }}
      >
        <p class="note">
          The file of <code>asi squad</code>, with the columns period, start and end, and optionally player.
          Times in {zoneName(zone)}.
        </p>
        <div class="form-field">
          <label for="periods-file">File</label>
          <input id="periods-file" type="file" name="file" accept=".csv,text/csv" required />
        </div>
        <LineProblems lines={lines} />
      </Form>
    </Dialog>
  );
}
