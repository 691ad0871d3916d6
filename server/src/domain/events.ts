import type { Interval } from "../store/samples/index.js";

/**
 * What a change can announce: the name of each event, and what is said with it. `effects.ts` lists what follows from each.
 */
export interface Events {
  /** Samples of a device were stored; `changed` are the times at which samples are new or gained a heart rate. */
  samplesStored: { deviceId: number; changed: readonly Interval[] };
  /** Another manager owns the device at these times, or nobody does. */
  ownershipChanged: { deviceId: number; changed: readonly Interval[] };
}
