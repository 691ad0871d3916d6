/** Whether a key names something of the heart: `hr_mean_bpm`, `share_with_hr`, `max_hr`, `trimp`. */
export const isHeartKey = (key: string): boolean => /(^|_)(hr|hrv|heart|trimp)(_|$)/.test(key);

/** An object without its members of the heart. */
export const withoutHeart = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !isHeartKey(key))) as T;
