import { SPORTS, type Sport } from "asi-convert/metrics";

/** The sport of a time-frame schema, by its name. */
export function sportOf(schemaName: string): Sport {
  const sport = SPORTS.find((name) => schemaName === `timeframe_${name}`);
  if (sport === undefined) throw new Error(`The JSON schema ${schemaName} belongs to no sport`);
  return sport;
}
