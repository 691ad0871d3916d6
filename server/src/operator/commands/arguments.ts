import { errors } from "../../domain/change/errors.js";
import { parseDateTime } from "../../wire/date-time.js";

/** Arguments of a command from the command line. */
export type Arguments = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

/** Returns the name of an option on the command line. */
const optionName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** @throws ServiceError on the argument if it is missing */
export const text = (args: Arguments, name: string): string => {
  const value = args[name];
  if (typeof value !== "string") throw errors.field(name, "This field is required.");
  return value;
};

export const optionalText = (args: Arguments, name: string): string | undefined =>
  args[name] === undefined ? undefined : text(args, name);

/** Returns true if an option without a value is given; otherwise undefined. */
export const flag = (args: Arguments, name: string): true | undefined =>
  args[name] === true ? true : undefined;

/** Returns one of the allowed values, case-insensitive. @throws ServiceError on the argument */
export function oneOf<T extends string>(args: Arguments, name: string, values: readonly T[]): T | undefined {
  const given = optionalText(args, name);
  if (given === undefined) return undefined;
  const found = values.find((value) => value.toLowerCase() === given.toLowerCase());
  if (found === undefined) throw errors.field(optionName(name), `Expected one of ${values.join(", ")}.`);
  return found;
}

/** @throws ServiceError on the argument */
export function optionalInteger(args: Arguments, name: string, maxDigits = 15): number | undefined {
  const given = optionalText(args, name);
  if (given === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(given) || given.length > maxDigits) {
    throw errors.field(optionName(name), "A valid integer is required.");
  }
  return Number(given);
}

/** @throws ServiceError on the argument if it is not an id */
export function idOf(args: Arguments, name: string): number {
  const id = optionalInteger(args, name);
  if (id === undefined) throw errors.field(name, "This field is required.");
  return id;
}

/** Returns an invalid date if the text is not a date. The domain then rejects it. */
export const date = (args: Arguments, name: string): Date =>
  new Date(parseDateTime(text(args, name)) ?? Number.NaN);

/** @throws ServiceError on the argument if it is not a date and time */
export function optionalDate(args: Arguments, name: string): Date | undefined {
  const given = optionalText(args, name);
  if (given === undefined) return undefined;
  const timestampMs = parseDateTime(given);
  if (timestampMs === undefined)
    throw errors.field(name, "Expected a date and time, such as 2024-06-01T10:00:00Z.");
  return new Date(timestampMs);
}

/** Returns the id that precedes a part of a list; 0 for the first part. */
export const after = (args: Arguments): number => optionalInteger(args, "after") ?? 0;
