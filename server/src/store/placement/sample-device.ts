/**
 * Parameter of a statement on the samples of a device. `PreparingClient` recognizes it, and refuses the statement if
 * the server of the samples is unreachable.
 */
export class SampleDevice {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** Called by `pg`, which sends the id. */
  toPostgres(): number {
    return this.id;
  }

  /** Called by PGlite, which sends the id. */
  toString(): string {
    return String(this.id);
  }
}

/** Returns a parameter with the id of a device, for a statement on its samples. */
export const samplesOf = (deviceId: number): SampleDevice => new SampleDevice(deviceId);
