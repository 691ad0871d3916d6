import type { Player } from "asi-convert/squad";
import type { UnknownTracker } from "asi-convert/squad-sheets";
import { idsOf } from "./ignored.js";
import { nameTracker } from "./look-at-actions.js";
import type { LookAt } from "./look-at-item.js";
import type { SquadSession } from "./squad-session.js";

/** Returns the problems of the lines of a roster or a periods file. */
export const ofLines = (fileName: string, problems: readonly { line: number; message: string }[]): LookAt[] =>
  problems.map(({ line, message }) => ({
    key: `${fileName} ${line} ${message}`,
    sign: "damaged",
    where: `${fileName}, line ${line}`,
    what: "",
    meaning: message,
    actions: [],
    ignore: "Ignore the line",
  }));

/** Returns the problems of the roster: its lines, trackers without a player, and players without a recording. */
export function ofRoster(session: SquadSession): LookAt[] {
  const sheet = session.roster.value;
  if (sheet === null || sheet.reader === null || session.isReading.value) return [];
  const { fileName, content, problems } = sheet;
  const { unknownTrackers, wrongLines } = sheet.reader;
  const players = session.players.value;
  const items = ofLines(fileName, problems);
  const unknown = unknownTrackers(
    content,
    players.flatMap(({ player, recordings, leftOut }) => {
      const name = player?.name ?? null;
      // a player with an unreadable file also takes part
      const own = recordings.length === 0 ? [{ serial: "", fileName: "" }] : [...recordings, ...leftOut];
      return own.map(({ serial, fileName: of }) => ({ serial, fileName: of, player: name }));
    }),
  );
  const wrong = new Map(wrongLines(unknown).map((line) => [line.serial, line]));
  const present = new Set([
    ...players.map(({ player }) => player),
    ...[...wrong.values()].map(({ player }) => player),
  ]);
  const absent = content.players.filter((player) => !present.has(player));
  items.push(
    ...unknown.map((tracker) => ofTracker(session, fileName, tracker, wrong.get(tracker.serial) ?? null)),
  );
  if (absent.length > 0) {
    const names = absent.map(({ name }) => name).join(", ");
    const key = `${fileName} absent ${names}`;
    const recordings = idsOf(session.shownRecordings.value);
    const meaning = `${names} ${absent.length === 1 ? "is" : "are"} in the roster.`;
    items.push({
      key,
      recordings,
      sign: "share",
      where: fileName,
      what: "No recording.",
      meaning,
      actions: [],
      ignore: "Ignore",
    });
  }
  return items;
}

/** Reports a recording that the roster lacks, with its possible players. */
function ofTracker(
  session: SquadSession,
  rosterName: string,
  { serial, fileName, likely }: UnknownTracker,
  wrong: { player: Player; named: string } | null,
): LookAt {
  const key = `${serial} unnamed`;
  const nameIt = (name: string) => () => nameTracker(session, name, serial);
  if (wrong === null) {
    return {
      key,
      sign: "share",
      where: fileName,
      what: "No name.",
      meaning: `The roster does not contain the tracker ${serial}. The row is named after the file.`,
      actions: likely.map(({ player: { name } }) => ({ name: `It is ${name}`, press: nameIt(name) })),
      ignore: "Ignore",
    };
  }
  const { player, named } = wrong;
  return {
    key,
    sign: "damaged",
    where: `${rosterName}, line ${player.line}`,
    what: `Unknown tracker “${named}”.`,
    meaning: `No recording here has this number, so this line and the periods of ${player.name} have no effect. ${serial} (${fileName}) is not in the roster.`,
    actions: [{ name: `It is ${serial}`, press: nameIt(player.name) }],
    ignore: "Ignore the line",
  };
}
