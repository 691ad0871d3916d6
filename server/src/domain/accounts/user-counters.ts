/** Throttles that count the requests of a user by user id. An erasure removes these counters. */
export const COUNTED_BY_USER = [
  "user",
  "rawData",
  "files",
  "ownership",
  "newPassword",
  "accountMail",
  "managerSearch",
  "deviceCode",
] as const;

/** Returns the key of a user in these throttles. */
export const userKey = (accountId: number): string => `user-${accountId}`;
