import { playerOfRecording } from "asi-convert/squad";
import type { SheetKind } from "asi-convert/squad-sheets";
import type { SquadSession } from "./squad-session.js";

type Changed = Pick<
  SquadSession,
  "editedPeriods" | "periodsOfFile" | "periodSteps" | "trackerNames" | "roster" | "recordings"
>;

/**
 * Lets a file that was just read replace earlier changes of the user: periods as a step that can be undone, a roster for the trackers that
 * it names.
 */
export function takeSheet(session: Changed, kind: SheetKind): void {
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
}
