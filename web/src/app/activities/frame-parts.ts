import type { Resource } from "asi-client";

/** The data that the page of a time frame needs. */
export interface FrameParts {
  activity: Resource["Activity"];
  schema: Resource["JsonSchema"];
  athletes: readonly Resource["Athlete"][];
  devices: readonly Resource["Device"][];
  /** The time frame, or null for a new one. */
  frame: Resource["Timeframe"] | null;
  /** A time frame of the activity that suggests day and device for a new one, or null if the activity has none. */
  sibling: Resource["Timeframe"] | null;
}
