import type { ReadonlySignal, Signal } from "@preact/signals";
import type { Roster, SessionPeriod } from "asi-convert/squad";
import type { ComponentType } from "preact";
import type { DeviceRange } from "../recording/device-range.js";
import type { LookAt } from "./look-at-item.js";
import type { Sort } from "./shown-order.js";
import type { SquadFile } from "./squad-file.js";

/** The interface of an open session for the service. */
export interface FollowedSession {
  readonly periods: ReadonlySignal<readonly SessionPeriod[]>;
  readonly files: ReadonlySignal<readonly SquadFile[]>;
  /** The directions of play, by period name. */
  readonly attack: ReadonlySignal<ReadonlyMap<string, unknown>>;
  readonly sort: Signal<Sort>;
  readonly opened: { add(files: readonly File[]): Promise<void> };
}

/** A session of the service, which the squad view shows instead of files. */
export interface StoredSession {
  title: string;
  /** All players. `files` contains the names of a player's ranges. */
  roster: Roster;
  periods: readonly SessionPeriod[];
  /** The devices that the players wore, by a name for each range. */
  ranges: ReadonlyMap<string, DeviceRange>;
  /** The players without data, for the list of problems. */
  missing: readonly LookAt[];
  /** Runs work in a worker. A user who is signed out signs in first. */
  afterSigningIn<Done>(work: () => Promise<Done>): Promise<Done>;
  /** Saves the changes to the open session until the returned function is called. */
  follow(session: FollowedSession): () => void;
  /** The texts in the header and below the table. */
  Buttons: ComponentType<{ session: FollowedSession }>;
  Status: ComponentType;
}
