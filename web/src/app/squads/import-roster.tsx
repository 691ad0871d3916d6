import type { Resource } from "asi-client";
import { useState } from "preact/hooks";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { dayAfter } from "../parts/days.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { instantText } from "../parts/when.js";
import { mayManageAthletes } from "../session.js";
import { thisMinute } from "./end-dialog.js";
import { KeptLater } from "./kept-later.js";
import { LineProblems } from "./line-problems.js";
import {
  type ImportedRoster,
  importRoster,
  type LineProblem,
  type RosterFile,
  refusedLines,
} from "./roster-file.js";
import type { TabProps } from "./tab.js";
import { timeIn } from "./validity.js";

interface Props extends TabProps {
  athletes: ReadonlyMap<number, Resource["Athlete"]>;
  /** Whether the squad has no players yet. The first roster then also applies to the recordings of today. */
  isFirst: boolean;
  onClose: () => void;
  /** Called after an import. The dialog stays open and shows the result. */
  onDone: () => void;
}

const countOf = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

function summaryOf({ created, changed, unchanged }: ImportedRoster): string {
  const athletes = created.athletes === 0 ? "" : `${countOf(created.athletes, "athlete")}, `;
  const made = `New: ${athletes}${countOf(created.members, "player")} and ${countOf(created.assignments, "tracker")}.`;
  return `${made} Changed: ${changed.members + changed.assignments}. Unchanged: ${unchanged}.`;
}

/** Imports players, thresholds and trackers from roster.csv, the file of `asi squad`. */
export function ImportRoster(props: Props) {
  const { client, account, squad, settings, athletes, isFirst, onClose, onDone } = props;
  const [lines, setLines] = useState<readonly LineProblem[]>([]);
  const [imported, setImported] = useState<{ file: RosterFile; result: ImportedRoster } | null>(null);
  const zone = settings.zone.value;
  const load = async (file: RosterFile) => {
    setImported({ file, result: await importRoster(client, squad.id, file) });
    announce("The roster is imported.");
    onDone();
  };
  return (
    <Dialog title="Import roster.csv" onClose={onClose}>
      {imported === null ? (
        <Form
          action="Import"
          onCancel={onClose}
          onSubmit={async (values, form) => {
            setLines([]);
            const file = (form.elements.namedItem("file") as HTMLInputElement).files?.[0];
            if (file === undefined) throw new FormProblem({ file: "Choose the file." });
            try {
              await load({
                csv: await file.arrayBuffer(),
                from: timeIn(values, "from", zone),
                create: values("create") === "on",
                replacesLater: false,
              });
            } catch (error) {
              const refused = refusedLines(error);
              setLines(refused);
              if (refused.length === 0) throw error;
              throw new FormProblem({
                "": "Nothing is imported. Correct these lines of the file, then try again.",
              });
            }
          }}
        >
          <p class="note">
            The file of <code>asi squad</code>, with the columns player and serial, and optionally number,
            position, high_speed, sprint and max_hr. Players must be athletes whom you may see.
          </p>
          <div class="form-field">
            <label for="roster-file">File</label>
            <input id="roster-file" type="file" name="file" accept=".csv,text/csv" required />
          </div>
          <Field
            name="from"
            label="From"
            type="datetime-local"
            required
            initial={isFirst ? instantText(dayAfter(Date.now(), 0, zone), zone) : thisMinute(zone)}
            hint={`Times in ${zoneName(zone)}. Numbers, thresholds and trackers are valid from then on. Later changes remain, and are listed after the import.`}
          />
          {mayManageAthletes(account) ? (
            <label class="check">
              <input type="checkbox" name="create" />
              Add athletes whom the service does not know, and manage them
            </label>
          ) : null}
          <LineProblems lines={lines} />
        </Form>
      ) : (
        <>
          <p>{summaryOf(imported.result)}</p>
          <KeptLater
            kept={imported.result.kept_later}
            athletes={athletes}
            zone={zone}
            unit={settings.speedUnit.value}
            onReplace={() => load({ ...imported.file, replacesLater: true })}
          />
          <div class="dialog-buttons">
            <button type="button" class="primary" onClick={onClose}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
