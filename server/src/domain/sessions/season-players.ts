import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import {
  daysSinceLast,
  type FigureLimits,
  normalBefore,
  type PlayedSession,
  type SeasonRow,
  SQUAD_COLUMNS,
  seasonOf,
  seasonSummary,
} from "asi-convert/squad";
import { playerNotes } from "asi-convert/squad-report";
import { groupBy } from "../change/group-by.js";
import { isHeartKey, withoutHeart } from "../squad-roles/heart.js";
import type { SeenSquad } from "../squad-roles/rules.js";
import { idAsName } from "./period-rows.js";
import type { SessionPlayer } from "./players.js";
import type { Session } from "./rules.js";
import { figuresIn, type Stored, type StoredPlayers } from "./season-stored.js";
import { shareOf } from "./stored-figures.js";

/** The number of players between two turns of the event loop. Each may have an entry in each session. */
const PLAYERS_AT_A_TIME = 3;

export type About = ReadonlyMap<number, SessionPlayer>;

/** A session with the stored figures that the owner of the squad may read. */
export interface StoredSession extends StoredPlayers {
  session: Session;
  /** See `matchNote`; null for sessions that are not matches. */
  note: string | null;
  /** Whether the figures of all its players are stored. */
  isComplete: boolean;
}

/** Yields the players of a season whom the caller sees, each as JSON text. @param all in chronological order */
export async function* seasonPlayers(
  all: readonly StoredSession[],
  about: About,
  { athleteId: seen, hasHeart }: Pick<SeenSquad["view"], "athleteId" | "hasHeart">,
): AsyncGenerator<string> {
  const columns = SQUAD_COLUMNS.filter(({ key }) => hasHeart || !isHeartKey(key));
  const byKey = <T>(value: (column: (typeof SQUAD_COLUMNS)[number]) => T): Record<string, T> =>
    Object.fromEntries(columns.map((column) => [column.key, value(column)]));
  const played = all.map((one) => playedOf(one, about, seen));
  const lastPlace = all.length - 1;
  const ordered = inOrder(played);
  for (let at = 0; at < ordered.length; at += PLAYERS_AT_A_TIME) {
    await nextEventLoopTurn();
    const rows = groupBy(ordered.slice(at, at + PLAYERS_AT_A_TIME).flat(), ({ session }) => session);
    /** The JSON text of the figures that the caller may see. */
    const texts = new Map<SeasonRow, string>();
    const season = seasonOf(
      played.map((session) => ({
        ...session,
        rows: (rows.get(session) ?? []).map(({ row: { text, ...row } }) => {
          const parsed = { ...row, figures: figuresIn(text) };
          texts.set(parsed, hasHeart ? text : JSON.stringify(withoutHeart(parsed.figures)));
          return parsed;
        }),
      })),
    );
    const ids = new Map(season.sessions.map((session, place) => [session, all[place]?.session.id ?? 0]));
    for (const player of season.players) {
      const athlete = Number(player.name);
      const name = about.get(athlete)?.name ?? "";
      const limits = limitsSeen(hasHeart);
      const head = {
        athlete,
        player: name,
        number: player.number,
        position: player.position,
        days_since_last: daysSinceLast(player),
        normal: byKey((column) => normalBefore(player, lastPlace, column)),
        best: byKey((column) => seasonSummary(player.entries, column).best),
        notes: playerNotes({ players: [{ ...player, name }] }, columns),
      };
      // Use the stored texts of the figures, because thousands of objects would take longer.
      const entries = player.entries.flatMap(({ session, row, daysSince }) =>
        row === null
          ? []
          : [
              `{"session":${ids.get(session) ?? 0},"covers":"${row.covers}","figures":${texts.get(row)},"share_with_data":${row.coverage},${hasHeart ? `"share_with_hr":${row.hrCoverage},` : ""}"share_played":${row.playedShare},"too_fast_rows":${row.tooFast?.samples ?? null},"too_fast_s":${row.tooFast?.duration ?? null},"limits":${limits.placeOf(row.limits)},"days_since":${daysSince}}`,
            ],
      );
      yield `${JSON.stringify(head).slice(0, -1)},"limits":[${limits.texts}],"entries":[${entries.join(",")}]}`;
    }
  }
}

/** Collects the different limits of a player as JSON, because most sessions have the same. */
function limitsSeen(hasHeart: boolean) {
  const texts: string[] = [];
  const placeOf = (limits: FigureLimits | null): number | null => {
    if (limits === null) return null;
    const text = JSON.stringify(hasHeart ? limits : withoutHeart(limits));
    return texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1;
  };
  return { texts, placeOf };
}

/** A row whose figures are still text, because the objects of all players at once would need most of the memory. */
interface TextRow extends Omit<SeasonRow, "figures"> {
  text: string;
}

type TextSession = Omit<PlayedSession, "rows"> & { rows: TextRow[] };

/** Returns the rows of each player, in the order of a season. A season can have thousands of players. */
function inOrder(played: readonly TextSession[]): { session: TextSession; row: TextRow }[][] {
  const rows = played.flatMap((session) => session.rows.map((row) => ({ session, row })));
  const byName = groupBy(rows, ({ row }) => row.player.name);
  // All rows of a player have the same number.
  const first = [...byName.values()].flatMap(([one]) =>
    one === undefined ? [] : [{ ...one.row, figures: {} }],
  );
  const together = { name: "", startMs: 0, endMs: 0, isMatch: false, sport: "", note: null, rows: first };
  return seasonOf([together]).players.map(({ name }) => byName.get(name) ?? []);
}

function playedOf(one: StoredSession, about: About, seen: number | null): TextSession {
  const { name, sport, startTime, endTime, kind } = one.session;
  const rows: TextRow[] = [];
  const longestMs = Math.max(...one.stored.map(({ ofHalves }) => ofHalves?.periodMs ?? 0));
  for (const player of one.stored) {
    const { athleteId, text, recordedMs, hrCoverage, limits, tooFast, ofHalves } = player;
    // A player without data has no recording.
    if (recordedMs === null || (seen !== null && athleteId !== seen)) continue;
    rows.push({
      player: {
        name: idAsName(athleteId),
        number: about.get(athleteId)?.number ?? null,
        position: about.get(athleteId)?.position ?? null,
      },
      text,
      covers: ofHalves === null ? "session" : "halves",
      limits,
      // The times of substitutes are in the periods, so figures of halves are without the bench.
      benchShare: 0,
      playedShare: ofHalves === null ? 1 : (shareOf(ofHalves.periodMs, longestMs) ?? 0),
      coverage: shareWithData(player, one),
      hrCoverage,
      tooFast,
    });
  }
  return {
    name,
    startMs: startTime.getTime(),
    endMs: endTime.getTime(),
    isMatch: kind === "match",
    sport,
    note: one.note,
    rows,
  };
}

/**
 * Returns the share with data that the table of the session has: of the halves of a match for the player, otherwise of the time with
 * data of any player. The latter is unknown without the figures of all players.
 */
function shareWithData(
  { recordedMs, ofHalves }: Stored,
  { playedMs, isComplete }: StoredSession,
): number | null {
  if (ofHalves !== null) return shareOf(ofHalves.recordedMs, ofHalves.periodMs);
  return isComplete ? shareOf(recordedMs, playedMs) : null;
}
