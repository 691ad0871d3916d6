import type { Resource } from "asi-client";

/** The data that the page of a time frame needs. */
export interface FrameParts {
  activity: Resource["Activity"];
  /** The schema of the activity's sport. */
  schema: Resource["JsonSchema"];
  athletes: readonly Resource["Athlete"][];
  devices: readonly Resource["Device"][];
  /** Null for a new one. */
  frame: Resource["Timeframe"] | null;
  /** A time frame of the activity, as a guess for day and device of a new one; null if it has none. */
  sibling: Resource["Timeframe"] | null;
}
