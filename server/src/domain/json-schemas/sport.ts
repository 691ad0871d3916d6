import { SPORTS, type Sport } from "asi-convert/metrics";

/** Returns the sport of a time-frame schema from its name. */
export function sportOf(schemaName: string): Sport {
  const sport = SPORTS.find((name) => schemaName === `timeframe_${name}`);
  if (sport === undefined) throw new Error(`The JSON schema ${schemaName} does not belong to a sport`);
  return sport;
}
