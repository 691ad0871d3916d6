import {
  distinctNames,
  type Player,
  playerNameOf,
  playerOfRecording,
  type Roster,
  type SquadMember,
  type SquadRow,
  squadMembers,
} from "asi-convert/squad";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import type { SquadFile } from "./squad-file.js";

/** Returns whether a recording has neither damage nor an early end. */
export const isSound = ({ isDamaged, isCut, isTruncated }: OpenRecording): boolean =>
  !isDamaged && !isCut && !isTruncated;

/** A row of the view, which is a player with the recordings of the session. */
export interface SquadPlayer extends SquadMember<OpenRecording> {
  /** Identifies the row while files are read and rosters change. */
  key: string;
  /** The message in the row of a file that could not be read. */
  failed: string | null;
}

/** A row with its figures. */
export interface PlayerRow extends SquadRow {
  member: SquadPlayer;
}

interface Content {
  recordings: readonly OpenRecording[];
  /** Recordings with separate rows, although the roster or their tracker assigns them to one player. */
  apart: ReadonlySet<number>;
  /** Recordings that cannot be read. */
  failed: readonly SquadFile[];
  roster: Roster | null;
}

/** Returns the rows of a session, in the order of the roster. */
export function playersOf({ recordings, apart, failed, roster }: Content): SquadPlayer[] {
  const members = squadMembers(
    recordings.filter(({ id }) => !apart.has(id)),
    roster,
  );
  members.push(...recordings.filter(({ id }) => apart.has(id)).flatMap((one) => squadMembers([one], null)));
  const players: SquadPlayer[] = members.map((member) => ({
    ...member,
    key: member.player === null ? `recording ${member.recordings[0]?.id}` : playerKey(member.player),
    failed: null,
  }));
  for (const { id, file, state } of failed) {
    if (state.name !== "failed") continue;
    const player = roster === null ? null : playerOfRecording(roster, { serial: "", fileName: file.name });
    if (player !== null && players.some((one) => one.player === player)) continue;
    players.push({
      name: player?.name ?? playerNameOf(file.name),
      player,
      recordings: [],
      leftOut: [],
      key: player === null ? `file ${id}` : playerKey(player),
      failed: state.message,
    });
  }
  return distinct(players, roster);
}

/** Returns the file name, followed by the serial number if a player of the roster or a different row has the same name. */
function distinct(players: readonly SquadPlayer[], roster: Roster | null): SquadPlayer[] {
  const others = players.filter(({ player }) => player === null);
  const names = distinctNames(
    others.map(({ name, recordings: [first] }) => ({
      name: first === undefined ? name : playerNameOf(first.fileName),
      mark: first?.serial || "file",
    })),
    roster?.players.map(({ name }) => name),
  );
  return players.map((one) =>
    one.player === null ? { ...one, name: names[others.indexOf(one)] ?? one.name } : one,
  );
}

const playerKey = ({ name }: Player) => `player ${name}`;
