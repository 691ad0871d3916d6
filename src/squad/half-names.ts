import type { SessionPeriod } from "./periods.js";

type Named = Pick<SessionPeriod, "name">;

/** Names of the halves of a match in several languages, and abbreviations such as "H1" and "2. HZ". */
const HALF = /h[aäe]l[fbv]|mi-temps|^(\d|pri|se[cg]|ter)\S* ti?empo$|^h\d$|^\d\W*hz?$/i;

/** Names of extra time. */
const EXTRA = /extra|overt|verl.n|prolo|pr.rr|sup+lementar[ei]|^[eo]t\W?\d?$/i;

/** Names of warm-ups, drills, games on half a pitch, and the break at half-time. */
const OTHER = /w[aä]rm|drill|paus|break|hal[fb].?(pit|cou|fi?eld)|^(half.?ti|halbz|mi-t)\w+$/i;

/** Returns whether the name of a period does not say that it is no half. */
export const canBeHalf = ({ name }: Named): boolean => !EXTRA.test(name) && !OTHER.test(name);

/** Returns whether a period has the name of a half, also of extra time. */
export const isAnyHalf = ({ name }: Named): boolean => HALF.test(name) && !OTHER.test(name);

/** Returns whether a period has the name of a half without extra time. */
export const isNamedHalf = (period: Named): boolean => isAnyHalf(period) && canBeHalf(period);

/** Returns whether a period after the second half has the name of extra time, or of a further half. */
export const isNamedExtra = (period: Named): boolean =>
  isAnyHalf(period) || (EXTRA.test(period.name) && !OTHER.test(period.name));
