import { batch, type ReadonlySignal, type Signal } from "@preact/signals";
import { playerOfRecording, type Roster, type SessionPeriod } from "asi-convert/squad";
import type { SheetKind } from "asi-convert/squad-sheets";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import type { PeriodSteps } from "./period-steps.js";

/** The part of a session that a file changes. */
interface Changed {
  editedPeriods: ReadonlySignal<readonly SessionPeriod[] | null>;
  periodsOfFile: ReadonlySignal<{ content: readonly SessionPeriod[] } | null>;
  periodSteps: PeriodSteps;
  trackerNames: Signal<ReadonlyMap<string, string>>;
  roster: ReadonlySignal<{ content: Roster } | null>;
  recordings: ReadonlySignal<readonly OpenRecording[]>;
}

/**
 * Lets a file that was just read replace earlier changes of the user: periods as a step that can be undone, a roster for the trackers that
 * it names.
 */
export const takeSheet = (session: Changed, kind: SheetKind): void =>
  batch(() => {
    if (kind === "periods" && session.editedPeriods.peek() && session.periodsOfFile.peek()?.content.length) {
      session.periodSteps.change({ periods: null });
    }
    const { trackerNames } = session;
    const assigned = trackerNames.peek();
    // the roster without them tells which recordings it names
    trackerNames.value = new Map();
    const roster = session.roster.peek()?.content ?? { players: [] };
    const named = session.recordings.peek().filter((one) => playerOfRecording(roster, one));
    trackerNames.value = new Map(
      [...assigned].filter(([, serial]) => !named.some((one) => one.serial === serial)),
    );
  });
