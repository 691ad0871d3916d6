import type { Zone } from "../../view/settings.js";
import { NO_VALUE } from "../../view/values.js";
import type { Values } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";
import { dayAndTime, instantOf, instantText } from "../parts/when.js";

/** The end time of a membership or assignment that has no end. */
export const OPEN_END = "2999-12-31T23:59:59.000Z";

/** An object with a start and an exclusive end. */
export interface Valid {
  start_time: string;
  end_time: string;
}

export const isOver = ({ end_time }: Valid, nowMs: number): boolean => Date.parse(end_time) <= nowMs;

export const untilText = (end: string, zone: Zone): string =>
  end === OPEN_END ? NO_VALUE : dayAndTime(end, zone);

/** Returns the text of a field for an end, or an empty text if there is no end. */
export const endText = (end: string, zone: Zone): string =>
  end === OPEN_END ? "" : instantText(Date.parse(end), zone);

/** Returns the instant in a field, in the format of the API. @throws FormProblem */
export function timeIn(values: Values, name: string, zone: Zone): string {
  const ms = instantOf(values(name), zone);
  if (ms === null) throw new FormProblem({ [name]: "Enter a day and a time." });
  return new Date(ms).toISOString();
}

/** Returns the instant in a field, or null if the field is empty. @throws FormProblem */
export const endIn = (values: Values, name: string, zone: Zone): string =>
  values(name) === "" ? OPEN_END : timeIn(values, name, zone);
