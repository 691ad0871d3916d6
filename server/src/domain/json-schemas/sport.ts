import { SPORTS, type Sport } from "asi-convert/metrics";

/** Returns the sport of an activity schema or a time-frame schema from its name. */
export function sportOf(schemaName: string): Sport {
  const sport = SPORTS.find(
    (name) => schemaName === `timeframe_${name}` || schemaName === `activity_${name}`,
  );
  if (sport === undefined) throw new Error(`The JSON schema ${schemaName} belongs to no sport`);
  return sport;
}
