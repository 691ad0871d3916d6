/** Whether a key names a heart-rate value: `hr_mean_bpm`, `share_with_hr`, `max_hr`, `trimp`. */
export const isHeartKey = (key: string): boolean => /(^|_)(hr|hrv|heart|trimp)(_|$)/.test(key);

/** Returns an object without its heart-rate members. */
export const withoutHeart = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !isHeartKey(key))) as T;
