import type { Static } from "@sinclair/typebox";
import { figureDefinitions, nameKey } from "asi-convert/squad";
import type { SessionFigures } from "../../domain/sessions/figures-resource.js";
import type { Found, OwnApi } from "./own-api.js";
import { ToolError } from "./own-api.js";
import { nameOf, playerSearch } from "./player-search.js";

type Table = Static<typeof SessionFigures>;
export type Row = Table["rows"][number];

/** Name of the whole session among the periods. The API uses null. */
export const WHOLE = "session";

/** Reads the table of a session in the caller's view. */
export const tableOf = (api: OwnApi, session: number): Promise<Found<Table>> =>
  api.get<Table>(`/api/v2/sessions/${session}/figures/`);

export const periodOf = (row: Row): string => row.period ?? WHOLE;

/** Returns the rows of a period for players given by name or id. */
export function selected(
  rows: readonly Row[],
  { period, players }: { period: string | undefined; players: readonly string[] | undefined },
): Row[] {
  const key = period === undefined ? undefined : nameKey(period);
  const ofPeriod = rows.filter((row) => key === undefined || nameKey(periodOf(row)) === key);
  if (period !== undefined && ofPeriod.length === 0) throw unknownName("period", period, rows.map(periodOf));
  if (players === undefined) return ofPeriod;
  const search = playerSearch(rows);
  const wanted = new Set(
    players.flatMap((player) => {
      const found = search(player);
      if (found.length === 0) throw unknownPlayer(player, rows);
      return found.map(({ athlete }) => athlete);
    }),
  );
  return ofPeriod.filter(({ athlete }) => wanted.has(athlete));
}

/**
 * Returns the row of each of the players; null for a player without one.
 *
 * @param rows of one period
 * @throws ToolError with the existing names if a player has several
 */
export function rowsOf(rows: readonly Row[], players: readonly string[]): (Row | null)[] {
  const search = playerSearch(rows);
  return players.map((player) => {
    const [row = null, ...others] = search(player);
    if (others.length > 0) throw unknownPlayer(player, rows);
    return row;
  });
}

/** @param rows rows that the caller can see */
export const unknownPlayer = (player: string, rows: readonly Pick<Row, "player" | "athlete">[]): ToolError =>
  unknownName("player", player, rows.map(nameOf));

/** Maximum number of names in a message. */
export const NAMES_SHOWN = 50;

/** @param names names that the caller can see */
export function unknownName(kind: string, name: string, names: Iterable<string>): ToolError {
  const known = [...new Set(names)].slice(0, NAMES_SHOWN).map((one) => JSON.stringify(one));
  const list = known.length === 0 ? "there are none" : `there are ${known.join(", ")}`;
  return new ToolError("unknown_name", `There is no single ${kind} ${JSON.stringify(name)} here; ${list}.`);
}

/**
 * Returns the completeness of a row, and its rules and thresholds. Members that the role may not see are absent, as in
 * the row.
 */
export function qualityOf(row: Row) {
  const { figures: _, definition, timeframes: __, ...quality } = row;
  return { ...quality, period: periodOf(row), rules_version: definition?.version ?? null };
}

/** Returns a row for a result: the values of the API, without the lists of parameters. */
export const shownRow = (row: Row) => ({ ...qualityOf(row), figures: row.figures });

/** Returns the definitions of the figures with these keys. */
export const definitionsOf = (keys: Iterable<string>) => {
  const seen = new Set(keys);
  return figureDefinitions().filter(({ name }) => seen.has(name));
};

/** Returns the definitions of the figures that the caller can see. */
export const definitionsFor = (rows: readonly Row[]) =>
  definitionsOf(rows.flatMap(({ figures }) => Object.keys(figures)));

/** Returns the distinct parameters of the rows: limits for speeds, heart rate and zones. */
export function parametersOf(rows: readonly Row[]) {
  const byText = new Map(
    rows.flatMap(({ definition }) =>
      definition === null ? [] : [[JSON.stringify(definition.parameters), definition.parameters] as const],
    ),
  );
  return [...byText.values()].slice(0, 20);
}

/**
 * Why values of these athletes are missing or may still change; members without entries are absent.
 * @param period only this one, in addition to the whole session
 */
export function gapsOf(
  { left_out, computing }: Pick<Table, "left_out" | "computing">,
  athletes: readonly number[],
  period = WHOLE,
) {
  const key = nameKey(period);
  const gaps = {
    left_out: left_out.filter(
      (one) => athletes.includes(one.athlete) && (one.period === null || nameKey(one.period) === key),
    ),
    computing: computing.filter(({ athlete }) => athletes.includes(athlete)),
  };
  return {
    ...(gaps.left_out.length > 0 && { left_out: gaps.left_out }),
    ...(gaps.computing.length > 0 && { computing: gaps.computing }),
  };
}

/** Returns the figures of several rows side by side, each with its difference from the first. */
export function compared(rows: readonly (Row | null)[]) {
  const present = rows.filter((row) => row !== null);
  return definitionsFor(present).map((figure) => {
    const values = rows.map((row) => row?.figures[figure.name as keyof Row["figures"]] ?? null);
    const [first = null] = values;
    return { ...figure, values, differences: values.map((value) => difference(value, first)) };
  });
}

/** Removes binary rounding errors from a difference of decimal numbers. */
const difference = (value: number | null, first: number | null) =>
  value === null || first === null ? null : Math.round((value - first) * 10_000) / 10_000;
