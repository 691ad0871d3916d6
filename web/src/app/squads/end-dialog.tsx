import type { Zone } from "../../view/settings.js";
import { zoneName } from "../../view/times.js";
import { announce } from "../parts/announcements.js";
import { Dialog } from "../parts/dialog.js";
import { Field, Form } from "../parts/form.js";
import { instantText } from "../parts/when.js";
import { timeIn } from "./validity.js";

const MINUTE_MS = 60_000;

/** Returns the current minute in the format of a form field. */
export const thisMinute = (zone: Zone): string =>
  instantText(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS, zone);

interface Props {
  title: string;
  note: string;
  /** The names of the objects to end. */
  names: readonly string[];
  zone: Zone;
  onClose: () => void;
  /** Ends the objects. */
  onEnd: (endTime: string) => Promise<void>;
}

/** Asks for the end time of a membership or an assignment. */
export function EndDialog({ title, note, names, zone, onClose, onEnd }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{names.join(", ")}</p>
      <p class="note">{note}</p>
      <Form
        action="End"
        onCancel={onClose}
        onSubmit={async (values) => {
          await onEnd(timeIn(values, "end_time", zone));
          announce("Ended.");
        }}
      >
        <Field
          name="end_time"
          label="Until"
          type="datetime-local"
          required
          initial={thisMinute(zone)}
          hint={`Times in ${zoneName(zone)}.`}
          isFirst
        />
      </Form>
    </Dialog>
  );
}
