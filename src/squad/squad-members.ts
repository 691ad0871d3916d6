import type { SampleBatch } from "../types.js";
import { distinctNames } from "./distinct-names.js";
import { commonTimeMs, timeWithData } from "./recorded-time.js";
import { type Player, playerOfRecording, type Roster } from "./roster.js";

/** A recording of a session. */
export interface SquadRecording {
  /** Name of the file, without folders. */
  fileName: string;
  serial: string;
  samples: SampleBatch;
  isDamaged: boolean;
  /** Whether the recording ends within a frame, for example after a power failure of the device. */
  isTruncated: boolean;
  /** Times of the last rows before damaged places, ms since 1970 UTC; empty for an undamaged recording. */
  damagedAfterMs: readonly number[];
  /** Whether there are more damaged places than those listed. */
  hasMoreDamage?: boolean;
}

/** A player with all recordings of the session. */
export interface SquadMember<Recording extends SquadRecording = SquadRecording> {
  /** Name from the roster, otherwise from the file. No other member of the session has an equal `nameKey`. */
  name: string;
  player: Player | null;
  /** In chronological order. */
  recordings: Recording[];
  /** Recordings excluded from the figures because they overlap one of `recordings`. */
  leftOut: Recording[];
}

/**
 * Two recordings of one player may overlap up to these limits, a duration and a share of the shorter one, because of a change of the
 * tracker *(choice)*.
 */
const MAX_OVERLAP = { ms: 60_000, share: 0.5 } as const;

/**
 * Matches the recordings of one session with the players of a roster. The recordings of one player become one member, in chronological
 * order; of overlapping recordings, the longest is used. Recordings of one tracker that is not in the roster become a separate member, named
 * after the first file. If other recordings or a player of the roster have that name, the serial number follows it: `Kunz (TRK-131)`.
 *
 * @param among all recordings whose names must be distinct, if `recordings` are those of one of several sessions
 * @returns members in the order of the roster, then the others sorted by name
 */
export function squadMembers<Recording extends SquadRecording>(
  recordings: readonly Recording[],
  roster: Roster | null,
  among: readonly Recording[] = recordings,
): SquadMember<Recording>[] {
  const playerOf = (recording: Recording) => (roster === null ? null : playerOfRecording(roster, recording));
  const names = fileNames(
    among.filter((recording) => playerOf(recording) === null),
    roster,
  );
  const groups = new Map<Player | string | Recording, Recording[]>();
  for (const recording of recordings) {
    // a recording without a serial number is alone
    const owner = playerOf(recording) ?? (recording.serial.toLowerCase() || recording);
    groups.set(owner, [...(groups.get(owner) ?? []), recording]);
  }
  const members = [...groups.values()].map((all) => {
    const own = oneAtATime(all);
    const [first] = own.recordings;
    const player = first === undefined ? null : playerOf(first);
    return { name: player?.name ?? (first && names.get(first)) ?? "", player, ...own };
  });
  const place = ({ player }: SquadMember) =>
    player === null ? Number.POSITIVE_INFINITY : (roster?.players.indexOf(player) ?? 0);
  // two members who are not in the roster have no difference
  return members.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

function fileNames<Recording extends SquadRecording>(
  recordings: readonly Recording[],
  roster: Roster | null,
): Map<Recording, string> {
  const names = distinctNames(
    recordings.map(({ fileName, serial }) => ({ name: playerNameOf(fileName), mark: serial || fileName })),
    roster?.players.map(({ name }) => name),
  );
  return new Map(recordings.map((recording, i) => [recording, names[i] ?? ""]));
}

/** Returns the names that periods can use: the members, and the players of the roster without a recording. */
export function namesIn(members: readonly SquadMember[], roster: Roster | null): string[] {
  const names = [...members, ...(roster?.players ?? [])].map(({ name }) => name);
  return [...new Set(names)];
}

/**
 * Returns the names that the periods of several sessions can use. Recordings of one tracker that is not in the roster are one member in a
 * session, but have another name in each session.
 */
export function namesInSessions<Recording extends SquadRecording>(
  sessions: readonly (readonly Recording[])[],
  roster: Roster | null,
): string[] {
  const all = sessions.flat();
  return [...new Set(sessions.flatMap((own) => namesIn(squadMembers(own, roster, all), roster)))];
}

/** Selects the longest recordings without overlaps, because joined rows of two trackers or two players would result in wrong figures. */
function oneAtATime<Recording extends SquadRecording>(
  recordings: readonly Recording[],
): Pick<SquadMember<Recording>, "recordings" | "leftOut"> {
  if (recordings.length === 1) return { recordings: [...recordings], leftOut: [] };
  const startOf = ({ samples }: SquadRecording) => samples.timestampMs[0] ?? 0;
  const kept: Recording[] = [];
  const leftOut: Recording[] = [];
  const lengths = new Map(recordings.map((one) => [one, timeWithData(one.samples)]));
  for (const one of recordings.toSorted((a, b) => (lengths.get(b) ?? 0) - (lengths.get(a) ?? 0))) {
    const allowedMs = Math.min(MAX_OVERLAP.ms, MAX_OVERLAP.share * (lengths.get(one) ?? 0));
    const isAlone = kept.every((other) => commonTimeMs(one.samples, other.samples) <= allowedMs);
    (isAlone ? kept : leftOut).push(one);
  }
  return { recordings: kept.sort((a, b) => startOf(a) - startOf(b)), leftOut };
}

/** Returns the name of a player who is not in a roster, from the file: `04-Baumann` for `04-Baumann.asi.gz`. */
export function playerNameOf(fileName: string): string {
  return fileName.replace(/\.gz$/i, "").replace(/\.(asi|ubx)$/i, "");
}
