import type { ParameterOverrides } from "asi-convert/metrics";
import { ownParameters, type Player } from "asi-convert/squad";
import { readRoster } from "asi-convert/squad-sheets";
import { isStorableText } from "../../wire/types.js";
import { FIRST_BIRTH_DATE, isBirthDate, isPersonName } from "../accounts/resource.js";
import { MAX_NUMBER, MAX_POSITION, SPEED_LIMITS, SPEED_RULE } from "../members/resource.js";
import { thresholdsProblem } from "../members/write.js";
import type { Problems } from "./problems.js";
import { MAX_PLAYERS, MAX_SERIALS } from "./resource.js";

/** Maximum number of characters of a name. */
const MAX_NAME = 150;

/** A player in the file, with values that can be stored. */
export interface RosterPlayer extends Omit<Player, "number"> {
  number: number | null;
  params: ParameterOverrides;
}

/** Reads the file. Problems are added to `problems`. Returns no players if there are too many serial numbers. */
export function readPlayers(file: Uint8Array, problems: Problems): RosterPlayer[] {
  const { roster, problems: found } = readRoster(file);
  for (const { line, message } of found) problems.add(line, message);
  const [tooMany] = roster.players.slice(MAX_PLAYERS);
  if (tooMany !== undefined)
    problems.add(tooMany.line, `A file has at most ${MAX_PLAYERS} players. Use several files.`);
  let serials = 0;
  const players = roster.players.slice(0, MAX_PLAYERS).map((player) => {
    const isFull = serials > MAX_SERIALS;
    serials += player.serials.length;
    if (!isFull && serials > MAX_SERIALS)
      problems.add(
        player.line,
        `A file has at most ${MAX_SERIALS.toLocaleString("en")} serial numbers. Use several files.`,
      );
    const params = ownParameters(player);
    for (const message of valueProblems(player, params)) problems.add(player.line, message);
    return { ...player, number: player.number === null ? null : Number(player.number), params };
  });
  return serials > MAX_SERIALS ? [] : players;
}

function* valueProblems(
  { name, number, position, birthDate }: Player,
  params: ParameterOverrides,
): Generator<string> {
  if (name.length > MAX_NAME || !isPersonName(name))
    yield `The name must have at most ${MAX_NAME} characters, at least one visible character and no control characters.`;
  if (number !== null && !(/^\d{1,9}$/.test(number) && Number(number) <= MAX_NUMBER))
    yield `number is "${number}"; it must be a whole number from 0 to ${MAX_NUMBER}.`;
  if (position !== null && (position.length > MAX_POSITION || !isStorableText(position)))
    yield `position must have at most ${MAX_POSITION} characters, without control characters.`;
  if (birthDate !== null && !isBirthDate(birthDate))
    yield `birth_date is ${birthDate}; it must be from ${FIRST_BIRTH_DATE} to today.`;
  const speeds = { sprint: params.sprint_threshold, high_speed: params.hid_thresholds?.[1] };
  for (const [column, speed] of Object.entries(speeds)) {
    const isOutside = speed !== undefined && (speed < SPEED_LIMITS.minimum || speed > SPEED_LIMITS.maximum);
    if (isOutside) yield `${column} must be ${SPEED_RULE}`;
  }
  if (thresholdsProblem(params) !== undefined) yield "high_speed is too low. Give a higher speed.";
}
