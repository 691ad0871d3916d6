/**
 * Parameter of a statement on the samples of a device. `PreparingClient` recognizes it, and refuses the statement if
 * the server of the samples is unreachable.
 */
export class SampleDevice {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** Returns the id for `pg`, which sends it. */
  toPostgres(): number {
    return this.id;
  }

  /** Returns the id for PGlite, which sends it. */
  toString(): string {
    return String(this.id);
  }
}

/** Returns a parameter with the id of a device, for a statement on its samples. */
export const samplesOf = (deviceId: number): SampleDevice => new SampleDevice(deviceId);
