import type { Resource } from "asi-client";

/** Parts of a time frame. */
export interface FrameParts {
  activity: Resource["Activity"];
  /** Of the activity's sport. */
  schema: Resource["JsonSchema"];
  athletes: readonly Resource["Athlete"][];
  devices: readonly Resource["Device"][];
  /** Null for a new one. */
  frame: Resource["Timeframe"] | null;
  /** A time frame of the activity, whose day and device a new one is likely to share; null if it has none. */
  sibling: Resource["Timeframe"] | null;
}
