import { dayNumberOf } from "../metrics/calendar-day.js";
import { KM_PER_H } from "../metrics/rounding.js";
import { type KnownColumn, type KnownRow, lettersOf, readKnownColumns } from "./known-columns.js";
import { nameKey, type Player, type Roster } from "./roster.js";
import { headersText, type SheetProblem } from "./sheet.js";

const ROSTER_NEEDS =
  "A roster needs the column player, and serial (numbers of trackers) or file (names of recordings).";

/** Maximum number of trackers in a roster *(choice)*. The list of trackers in a single cell can be as long as the file. */
const MOST_TRACKERS = 10_000;
const TOO_MANY_TRACKERS =
  "The roster has more than 10,000 trackers in the rows up to this one. Is it the correct file?";

/** Limits of a person's speeds, m/s *(choice)*. No one has run faster. */
const OF_PERSON = { minimum: 1, maximum: 13, limits: "from 1 to 13 m/s, 3.6 to 46.8 km/h" };

/** Limits of thresholds, m/s *(choice)*. They are within those of `PARAMETER_LIMITS`, also for `highSpeedThresholds`. */
const OF_THRESHOLD = { minimum: 0.5, maximum: 100, limits: "from 0.5 to 100 m/s, 1.8 to 360 km/h" };

/** Columns with speeds. The header or the cell contains the unit. */
const SPEED_COLUMNS = {
  high_speed: { key: "highSpeedMPerS", ...OF_THRESHOLD },
  sprint: { key: "sprintMPerS", ...OF_THRESHOLD },
  max_speed: { key: "maxSpeedMPerS", ...OF_PERSON },
  aerobic_speed: { key: "aerobicSpeedMPerS", ...OF_PERSON },
} as const;

/**
 * Columns with whole numbers, and their limits. The limits of `max_hr` are those of `PARAMETER_LIMITS`; the limits of `rest_hr` are a
 * choice.
 */
const NUMBER_COLUMNS = {
  max_hr: { key: "maxHr", minimum: 60, maximum: 240, unit: "beats per minute" },
  rest_hr: { key: "restHr", minimum: 20, maximum: 120, unit: "beats per minute" },
  mass: { key: "massKg", minimum: 10, maximum: 300, unit: "kg" },
} as const;

const TEXT_COLUMNS = ["player", "serial", "file", "number", "position", "birth_date"];

const COLUMNS: ReadonlyMap<string, KnownColumn> = new Map(
  [
    ...TEXT_COLUMNS.map((column) => ({ column, unit: "" })),
    ...Object.keys(NUMBER_COLUMNS).flatMap((column) =>
      ["", column === "mass" ? "kg" : "bpm"].map((unit) => ({ column, unit })),
    ),
    ...Object.keys(SPEED_COLUMNS).flatMap((column) => ["", "km/h", "m/s"].map((unit) => ({ column, unit }))),
  ].map((known) => [lettersOf(known.column + known.unit), known]),
);

/**
 * Reads a roster: the column `player` and at least one of `serial` and `file`; optionally `number`, `position`, `max_hr`, `rest_hr`,
 * `high_speed`, `sprint`, `max_speed`, `aerobic_speed`, `birth_date` and `mass`. A player with two trackers has two rows, or two serial
 * numbers in one cell.
 *
 * @param file the bytes of a CSV, or its text
 * @returns all readable players in the order of the file, and every problem with its line
 */
export function readRoster(file: Uint8Array | string): { roster: Roster; problems: SheetProblem[] } {
  const { columns, headers, rows, headerLine, problems, refusal } = readKnownColumns(file, COLUMNS);
  if (refusal !== null)
    return { roster: { players: [] }, problems: [{ line: headerLine, message: refusal }] };
  if (!columns.has("player") || !(columns.has("serial") || columns.has("file"))) {
    const message = `${ROSTER_NEEDS} ${headersText(headers)}`;
    // errors in other rows are not useful if the table is not a roster
    const nearly = problems.filter(({ line }) => line === headerLine);
    return { roster: { players: [] }, problems: [{ line: headerLine, message }, ...nearly] };
  }
  const players = new Map<string, Player>();
  const trackers = new Map<string, Player>();
  let trackersRead = 0;
  for (const row of rows) {
    const problem = (message: string) => problems.push({ line: row.line, message });
    const player = playerOf(row, problem);
    if (player === null) continue;
    trackersRead += player.serials.length;
    if (trackersRead > MOST_TRACKERS)
      return { roster: { players: [] }, problems: [{ line: row.line, message: TOO_MANY_TRACKERS }] };
    const known = players.get(nameKey(player.name));
    if (known === undefined) players.set(nameKey(player.name), player);
    else merge(known, player, problem);
    for (const serial of player.serials) {
      const owner = known ?? player;
      const other = trackers.get(serial.toLowerCase());
      if (other !== undefined && other !== owner) {
        problem(
          `${owner.name} and ${other.name} (line ${other.line}) have the same tracker ${serial}. Change one.`,
        );
      } else trackers.set(serial.toLowerCase(), owner);
    }
  }
  for (const { name, line, highSpeedMPerS, sprintMPerS } of players.values()) {
    if (highSpeedMPerS === null || sprintMPerS === null || highSpeedMPerS <= sprintMPerS) continue;
    problems.push({
      line,
      message: `high_speed is above sprint for ${name}. Swap the values, or change one.`,
    });
  }
  for (const { name, line, maxSpeedMPerS, aerobicSpeedMPerS } of players.values()) {
    if (maxSpeedMPerS === null || aerobicSpeedMPerS === null || aerobicSpeedMPerS < maxSpeedMPerS) continue;
    const message = `aerobic_speed is not below max_speed for ${name}. Swap the values, or change one.`;
    problems.push({ line, message });
  }
  return { roster: { players: [...players.values()] }, problems };
}

function playerOf(row: KnownRow, problem: (message: string) => void): Player | null {
  const name = row.cell("player");
  if (name === "") {
    problem("The row has no player. Give a name or remove the row.");
    return null;
  }
  const player: Player = {
    name,
    number: row.cell("number") || null,
    position: row.cell("position") || null,
    // docs/recording-format.md defines the characters of serial numbers
    serials: row
      .cell("serial")
      .split(/[^A-Za-z0-9._-]+/)
      .filter((serial) => serial !== ""),
    files: row.cell("file") === "" ? [] : [row.cell("file")],
    maxHr: null,
    restHr: null,
    highSpeedMPerS: null,
    sprintMPerS: null,
    maxSpeedMPerS: null,
    aerobicSpeedMPerS: null,
    birthDate: dateIn(row.cell("birth_date"), problem),
    massKg: null,
    line: row.line,
  };
  for (const [column, { key, minimum, maximum, unit }] of Object.entries(NUMBER_COLUMNS)) {
    const text = row.cell(column);
    if (text === "") continue;
    const value = numberIn(text.replace(/\s*(bpm|kg)$/i, ""));
    if (value === null || value < minimum || value > maximum) {
      problem(`${column} is "${text}"; it must be from ${minimum} to ${maximum} ${unit}.`);
    } else player[key] = value;
  }
  for (const [column, { key, minimum, maximum, limits }] of Object.entries(SPEED_COLUMNS)) {
    const speed = speedIn(row, column, problem);
    if (speed === null) continue;
    if (speed >= minimum && speed <= maximum) player[key] = speed;
    else problem(`${column} is "${row.cell(column)}"; it must be ${limits}.`);
  }
  return player;
}

function speedIn(row: KnownRow, column: string, problem: (message: string) => void): number | null {
  const text = row.cell(column);
  if (text === "") return null;
  const [, digits = "", unitOfCell] = /^(.*?)\s*(km\s*\/?\s*h|m\s*\/\s*s)?$/i.exec(text) ?? [];
  const unit = unitOfCell === undefined ? row.unit(column) : /^m/i.test(unitOfCell) ? "m/s" : "km/h";
  const value = numberIn(digits);
  if (value === null || value <= 0) {
    problem(`${column} is "${text}"; it must be a speed such as 19.8 km/h or 5.5 m/s.`);
    return null;
  }
  if (unit === "") {
    problem(
      `${column} is "${text}" without a unit. Write 19.8 km/h, or name the column "${column} (km/h)" or "${column} (m/s)".`,
    );
    return null;
  }
  return unit === "m/s" ? value : value / KM_PER_H;
}

/** Reads a number with a decimal point or comma. Returns null for any other text. */
export function numberIn(text: string): number | null {
  return /^[+-]?\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(",", ".")) : null;
}

function dateIn(text: string, problem: (message: string) => void): string | null {
  if (text === "") return null;
  const iso = dateOf(text);
  if (iso === null) problem(`birth_date is "${text}"; write it as 2001-05-23 or 23.5.2001.`);
  return iso;
}

/**
 * Reads `2026-05-16` or `16.5.2026` and returns `2026-05-16`; null for any other text. `5/6/2026` means different days in different
 * countries.
 */
export function dateOf(text: string): string | null {
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  const parts = [isoYear ?? year, isoMonth ?? month, isoDay ?? day];
  if (parts.some((part) => part === undefined)) return null;
  const [y = "", m = "", d = ""] = parts;
  const iso = `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}`;
  return dayNumberOf(iso) === null ? null : iso;
}

const MERGED = [
  "number",
  "position",
  "maxHr",
  "restHr",
  "highSpeedMPerS",
  "sprintMPerS",
  "maxSpeedMPerS",
  "aerobicSpeedMPerS",
  "birthDate",
  "massKg",
] as const;

/** Adds another row of a player, which may contain more trackers, and values that the first row lacks. */
function merge(player: Player, row: Player, problem: (message: string) => void): void {
  player.serials.push(...row.serials);
  player.files.push(...row.files);
  for (const key of MERGED) {
    if (row[key] === null || row[key] === player[key]) continue;
    if (player[key] === null) Object.assign(player, { [key]: row[key] });
    else problem(`${player.name} has different values in line ${player.line}. Keep one value of each.`);
  }
}
