import { type Client, type Resource, unwrap } from "asi-client";
import type { Zone } from "../../view/settings.js";
import { type PanelFrame, type Season, SQUAD_COLUMNS, type SquadColumn, seasonFigure } from "./chart.js";
import { shortDay } from "./short-day.js";

/** The season of a squad in the format of the service. */
export type StoredSeason = Resource["Season"];
export type SeasonSession = StoredSeason["sessions"][number];

/** Loads the season of a squad. @throws ApiError, AwayError */
export const loadSeason = (client: Client, squad: number, signal: AbortSignal): Promise<StoredSeason> =>
  unwrap(client.GET("/api/v2/squads/{squad}/season/", { params: { path: { squad } }, signal }));

/** Returns the season in the form that the chart needs. Each player has an entry for each session, in the order of the service. */
export function seasonIn({ sessions, players }: StoredSeason): Season {
  const shown = sessions.map(({ name, kind, sport, start_time, end_time, match_note }) => ({
    name,
    startMs: Date.parse(start_time),
    endMs: Date.parse(end_time),
    isMatch: kind === "match",
    sport,
    note: match_note,
  }));
  return {
    sessions: shown,
    players: players.map(({ player: name, number, position, limits, entries }) => {
      const own = new Map(entries.map((entry) => [entry.session, entry]));
      const player = { name, number, position };
      return {
        ...player,
        entries: shown.map((session, i) => {
          const entry = own.get(sessions[i]?.id ?? 0);
          const row = entry && {
            player,
            figures: entry.figures,
            covers: entry.covers,
            limits: limits[entry.limits ?? -1] ?? null,
            benchShare: 0,
            playedShare: entry.share_played,
            tooFast: { samples: entry.too_fast_rows ?? 0, duration: entry.too_fast_s ?? 0 },
            coverage: entry.share_with_data,
            hrCoverage: entry.share_with_hr ?? null,
          };
          return { session, row: row ?? null, daysSince: entry?.days_since ?? null };
        }),
      };
    }),
  };
}

/** Returns the frame of a panel with a figure in a season. @param now index of the session that is compared */
export const frameOf = (
  stored: StoredSeason,
  season: Season,
  { column, now, zone }: { column: SquadColumn; now: number; zone: Zone },
): PanelFrame => ({
  season,
  column,
  now,
  dayText: (ms) => shortDay(ms, zone),
  isNotComputed: notComputedIn(stored, season),
});

/** Returns a function that returns whether the figures of a player in a session are missing or outdated. */
const notComputedIn =
  ({ sessions, players }: StoredSeason, season: Season): NonNullable<PanelFrame["isNotComputed"]> =>
  (player, index) =>
    sessions[index]?.not_computed.includes(players[season.players.indexOf(player)]?.athlete ?? 0) ?? false;

/** Returns the figures that at least one player has. Users without access to heart data see no heart-rate figures. */
export const figuresIn = ({ players }: Season): readonly SquadColumn[] =>
  SQUAD_COLUMNS.filter((column) =>
    players.some(({ entries }) => entries.some((entry) => seasonFigure(entry, column) !== null)),
  );

/** The figure that the page shows first. It is a rate, because rates are comparable between matches of different duration. */
export const FIRST_FIGURE = "rate_m_per_min";
