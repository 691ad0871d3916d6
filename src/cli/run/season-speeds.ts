import { decimalText } from "../../pictures/figure-text.js";
import { type SeasonPlayer, type SpeedsOfPlayer, seasonSpeeds } from "../../squad/index.js";
import { type FileColumn, numberColumn, textColumn } from "../../squad-report/cell-files.js";
import { lastIndexWith, type SeasonFileRow } from "./season-columns.js";

/** Returns the speeds of a player on the day of a session. */
export type SpeedsOf = (player: SeasonPlayer, index: number) => SpeedsOfPlayer;

/**
 * Creates a function that computes the speeds of a player and session only once, even if several columns need them.
 *
 * @param instantText formats an instant in local time; the text begins with the day
 */
export function speedsIn(instantText: (ms: number) => string): SpeedsOf {
  const days = new Map<number, string>();
  const dayOf = (ms: number) => kept(days, ms, () => instantText(ms).slice(0, 10));
  const players = new Map<SeasonPlayer, Map<number, SpeedsOfPlayer>>();
  return (player, index) => {
    const speeds = kept(players, player, () => new Map<number, SpeedsOfPlayer>());
    return kept(speeds, index, () => seasonSpeeds(player, index, dayOf));
  };
}

/** Returns the value of a key. Creates the value if it is missing. */
function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}

/** Returns the columns of a file with the speeds on the day of each session. */
export function speedColumns(speedsOf: SpeedsOf): FileColumn<SeasonFileRow>[] {
  const number = (
    key: string,
    title: string,
    decimals: number,
    cell: (speeds: SpeedsOfPlayer) => number | null | undefined,
  ) =>
    numberColumn<SeasonFileRow>(
      key,
      title,
      decimals,
      ({ player, index }) => cell(speedsOf(player, index)) ?? null,
    );
  const profile = (
    key: "a0" | "s0" | "tau" | "r2_before" | "n_before",
    name: string,
    title: string,
    decimals: number,
  ) => number(`profile_${name}`, `Profile of 28 days: ${title}`, decimals, (of) => of.profile?.[key]);
  return [
    numberColumn<SeasonFileRow>(
      "session_max_speed_m_per_s",
      "Maximum speed held for 0.5 s, m/s",
      3,
      ({ entry }) => entry.row?.speeds?.maxSpeed ?? null,
    ),
    number("season_max_speed_m_per_s", "Maximum speed of 365 days, m/s", 3, (of) => of.season?.max_speed),
    textColumn<SeasonFileRow>("season_max_speed_day", "Day of this speed", ({ player, index }) => {
      return speedsOf(player, index).season?.day ?? null;
    }),
    textColumn<SeasonFileRow>("season_max_speed_unconfirmed", "Unconfirmed", ({ player, index }) => {
      const { season } = speedsOf(player, index);
      return season === null ? null : season.unconfirmed ? "yes" : "no";
    }),
    profile("a0", "a0_m_per_s2", "A0, m/s2", 2),
    profile("s0", "s0_m_per_s", "S0, m/s", 2),
    profile("tau", "tau_s", "tau, s", 2),
    profile("r2_before", "r2", "R2", 4),
    profile("n_before", "points", "points", 0),
    number("profile_sessions", "Profile of 28 days: sessions", 0, ({ sessions }) => sessions),
    textColumn<SeasonFileRow>("profile_reason", "Reason for no profile", ({ player, index }) => {
      return speedsOf(player, index).reason;
    }),
  ];
}

/** Formats the speeds of a player on the day of the player's last session. */
export function speedsText(player: SeasonPlayer, speedsOf: SpeedsOf): string {
  const { season, profile, reason, sessions } = speedsOf(player, lastIndexWith(player));
  if (season === null)
    return "Maximum speed held for 0.5 s: none, because it requires at least 1 s with 5 samples a second";
  const { max_speed, day, unconfirmed } = season;
  const doubt = unconfirmed ? ", unconfirmed, because no other session is within 5 %" : "";
  const text =
    profile === null
      ? `none: ${reason}`
      : `A0 ${profile.a0} m/s2, S0 ${profile.s0} m/s, tau ${profile.tau} s, R2 ${profile.r2_before} of ${profile.n_before} points`;
  return [
    `Maximum speed held for 0.5 s in 365 days: ${decimalText(max_speed, 2)} m/s on ${day}${doubt}`,
    `Acceleration-speed profile of 28 days (${sessions} with running): ${text}`,
  ].join("\n");
}
