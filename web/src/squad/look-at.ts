import { damageOf, type Interval, periodsOutside } from "asi-convert/squad";
import { day, duration, timeOfDay } from "../view/times.js";
import { decimal, KM_PER_H } from "../view/values.js";
import { clockOf } from "./clock/clock-state.js";
import { ofSubstitutions } from "./clock/substitutions.js";
import { ignore } from "./ignore.js";
import { idsOf, isIgnored } from "./ignored.js";
import { keepApart, showSession } from "./look-at-actions.js";
import { ofClocks } from "./look-at-clocks.js";
import type { LookAt } from "./look-at-item.js";
import { ofLines, ofRoster } from "./look-at-roster.js";
import type { SquadFile } from "./squad-file.js";
import type { SquadPlayer, SquadSession } from "./squad-session.js";

/** Returns the problems to check, worst first. */
export function lookAt(session: SquadSession): LookAt[] {
  const all = [
    ...ofFigures(session),
    ...session.files.value.flatMap((file) => ofFile(session, file)),
    ...(session.stored?.missing ?? ofRoster(session)),
    ...ofPeriods(session),
    ...ofOutside(session),
    ...session.players.value.flatMap((player) => ofPlayer(session, player)),
    ...ofClocks(session),
    ...ofPlaying(session),
    ...ofOtherTimes(session),
    ...session.files.value.flatMap(ofLeftOut),
  ];
  return all.flatMap((item) => {
    const { key, recordings = [], actions, ignore: name } = item;
    const ignored = { key, recordings };
    if (isIgnored(session.ignored.value, ignored)) return [];
    if (name === undefined) return item;
    return { ...item, actions: [...actions, { name, press: () => ignore(session, ignored) }] };
  });
}

function ofFigures({ problem: { value: meaning } }: SquadSession): LookAt[] {
  return meaning === null
    ? []
    : [{ key: "figures", sign: "failed", where: "Figures", what: "Not computed.", meaning, actions: [] }];
}

const WORKBOOK_NAME = /\.(xlsx?|ods|numbers)$/i;

function ofFile(session: SquadSession, { id, file, state }: SquadFile): LookAt[] {
  const zone = session.settings.zone.value;
  const key = `file ${id}`;
  const leaveOut = { name: "Leave it out", press: () => session.opened.remove(id) };
  if (state.name === "failed") {
    const isLost = state.code === "NOT_KEPT";
    const isEmpty = file.size === 0 && !isLost;
    return [
      {
        key,
        sign: "failed",
        where: file.name,
        what: isEmpty ? "Empty file." : isLost ? "Not kept." : "Cannot be read.",
        meaning: isEmpty
          ? "The file has 0 bytes. Copy it from the tracker again, then add it. The table keeps its place."
          : state.message,
        actions: [{ name: "Choose again…", chooseFor: id }, leaveOut],
      },
    ];
  }
  if (state.name !== "recording") return [];
  const { recording } = state;
  if (recording.isCut || recording.isTruncated) {
    return [
      {
        key,
        sign: "failed",
        where: file.name,
        what: recording.isCut ? "Compressed file ends early." : "Recording ends early.",
        meaning: `${decimal((recording.endMs - recording.startMs) / 60_000, 0)} minutes could be read, to ${timeOfDay(recording.endMs, zone)}. They are shown with a mark.`,
        actions: [{ name: "Choose again…", chooseFor: id }, leaveOut],
      },
    ];
  }
  const [longest, ...others] = damageOf(recording);
  if (!recording.isDamaged) return [];
  const missing = [longest, ...others].reduce((sum, one) => sum + (one ? one.endMs - one.startMs : 0), 0);
  const meaning =
    longest === undefined
      ? "Some bytes cannot be read, but no time is missing. The rest is shown with a mark."
      : `${duration(missing)} cannot be read, ${timeOfDay(longest.startMs, zone)} to ${timeOfDay(longest.endMs, zone)}${others.length === 0 ? "" : ` and ${others.length} more`}. The rest is shown with a mark.`;
  const show = { name: "Show the place", press: () => longest && session.showPlace(recording, longest) };
  return [
    { key, sign: "damaged", where: file.name, what: "Damaged.", meaning, actions: longest ? [show] : [] },
  ];
}

function ofLeftOut({ id, file, state }: SquadFile): LookAt[] {
  if (state.name !== "left out") return [];
  return [
    {
      key: `file ${id}`,
      sign: "share",
      where: file.name,
      what: "Left out.",
      meaning: WORKBOOK_NAME.test(file.name)
        ? "A workbook. Save its table as CSV, and add that file."
        : state.why,
      actions: [],
    },
  ];
}

function ofPeriods(session: SquadSession): LookAt[] {
  const sheet = session.periodsOfFile.value;
  if (sheet === null || session.isReading.value) return [];
  // a change of the user replaces the periods of a file, unless none of them could be read
  if (session.editedPeriods.value !== null && sheet.content.length > 0) return [];
  return ofLines(sheet.fileName, sheet.problems);
}

/** Periods on a different day or in a different time zone. Their figures are empty. */
function ofOutside(session: SquadSession): LookAt[] {
  const recorded = session.interval.value;
  const zone = session.settings.zone.value;
  if (session.isReading.value || recorded === null) return [];
  const outside = periodsOutside(session.periods.value, recorded);
  if (outside.length === 0) return [];
  const times = ({ startMs, endMs }: Interval) =>
    `${day(startMs, zone)} ${timeOfDay(startMs, zone)} to ${timeOfDay(endMs, zone)}`;
  const names = outside.map(({ name, all }) => (all === null ? name : `${name} (${times(all)})`));
  return [
    {
      key: `outside ${names.join()}`,
      recordings: idsOf(session.shownRecordings.value),
      sign: "damaged",
      where: "Periods",
      what: "Not within the recordings.",
      meaning: `The recordings are from ${times(recorded)}. Outside: ${names.join(", ")}. Correct the date or the time of the periods, or choose the time zone of their clock in Settings.`,
      actions: [],
      ignore: "Ignore",
    },
  ];
}

function ofPlaying(session: SquadSession): LookAt[] {
  const { substitutions, isEditing } = clockOf(session);
  return ofSubstitutions(session, substitutions.value, () => {
    isEditing.value = true;
  });
}

function ofPlayer(session: SquadSession, player: SquadPlayer): LookAt[] {
  const { key, name, recordings, leftOut } = player;
  const ids = idsOf([...recordings, ...leftOut]);
  const items: LookAt[] = [];
  const whyOne = (byRoster: string) => (player.player === null ? "They are of one tracker" : byRoster);
  if (leftOut.length > 0) {
    items.push({
      key: "overlap",
      recordings: ids,
      sign: "damaged",
      where: [...recordings, ...leftOut].map(({ fileName }) => fileName).join(" and "),
      what: "Several simultaneous recordings of one player.",
      meaning: `${whyOne(`The roster assigns them to ${name}`)}. The longest counts, and ${leftOut.map(({ fileName }) => fileName).join(", ")} is left out. If they are of different players, keep them apart.`,
      actions: [{ name: "Keep apart", press: () => keepApart(session, player) }],
      ignore: "Ignore",
    });
  }
  const [first, second] = recordings.toSorted((a, b) => a.startMs - b.startMs);
  if (first !== undefined && second !== undefined) {
    const gapMs = second.startMs - first.endMs;
    const between = gapMs > 0 ? `, ${duration(gapMs)} without data between them` : "";
    items.push({
      key: "joined",
      recordings: ids,
      sign: "joined",
      where: `${first.fileName} and ${second.fileName}`,
      what: `One player, ${recordings.length === 2 ? "two" : recordings.length} recordings.`,
      meaning: `${whyOne(`${recordings.map(({ serial }) => serial).join(" and ")} are ${name} in the roster`)}. They are joined${between}.`,
      actions: [{ name: "Keep apart", press: () => keepApart(session, player) }],
      ignore: "Ignore",
    });
  }
  if (session.ofAnotherSport.value.has(key)) items.push(otherSport(session, player));
  return items;
}

function otherSport(session: SquadSession, { name, player, recordings }: SquadPlayer): LookAt {
  return {
    key: "sport",
    recordings: idsOf(recordings),
    sign: "sport",
    where: [player?.number, name].filter(Boolean).join(" "),
    what: "Another sport?",
    meaning: `More than 1 % of the moving rows are faster than ${decimal(session.limitMPerS.value * KM_PER_H, 1)} km/h. Was it cycling? The figures exclude these rows.`,
    actions: [
      {
        name: "Use the highest speed of cycling",
        press: () => {
          session.settings.preset.value = "biking";
        },
      },
      ...recordings.map(({ id }) => ({
        name: "Leave it out",
        press: () => session.opened.removeRecording(id),
      })),
    ],
    ignore: "Ignore",
  };
}

function ofOtherTimes(session: SquadSession): LookAt[] {
  const shown = session.shownRecordings.value;
  const zone = session.settings.zone.value;
  return session.sessions.value
    .filter((one) => one[0] !== shown[0])
    .map((one): LookAt => {
      const count = `${one.length} ${one.length === 1 ? "recording is" : "recordings are"} from another time.`;
      const ids = idsOf(one);
      const startMs = Math.min(...one.map((recording) => recording.startMs));
      return {
        key: "time",
        recordings: ids,
        sign: "clock",
        where: one.length === 1 ? (one[0]?.fileName ?? "") : `${one.length} files`,
        what: count,
        meaning: `${one.length === 1 ? "It begins" : "They begin"} ${day(startMs, zone)}, ${timeOfDay(startMs, zone).slice(0, 5)}.`,
        actions: [
          {
            name: one.length === 1 ? "Show it as a session" : "Show them as a session",
            press: () => showSession(session, ids[0] ?? 0),
          },
          { name: "Leave out", press: () => ids.forEach((id) => void session.opened.removeRecording(id)) },
        ],
      };
    });
}
