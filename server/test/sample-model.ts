/** Reference implementation of the rules for the owners of samples, for one device. */

/** Maximum time that the clock of a device is ahead of the server. */
export const AHEAD_MS = 5 * 60_000;
export const FOREVER = Number.POSITIVE_INFINITY;

interface Ownership {
  by: number;
  from: number;
  to: number;
}

interface Frame {
  id: number;
  by: number;
  athlete: number;
  from: number;
  to: number;
  /** Time at which the time frame was assigned. */
  at: number;
}

/** Reference implementation of the rules. Managers and athletes are identified by their account ids. */
export class Model {
  ownerships: Ownership[] = [];
  /** Times of the samples. */
  samples = new Set<number>();
  frames: Frame[] = [];
  /** Managers who may create time frames of an athlete, as `manager athlete`. */
  permitted = new Set<string>();

  ownerAt = (ms: number) => this.ownerships.find(({ from, to }) => from <= ms && ms < to)?.by;

  hasOwned = (by: number) => this.ownerships.some((ownership) => ownership.by === by);

  get current(): Ownership | undefined {
    const last = this.ownerships.at(-1);
    return last?.to === FOREVER ? last : undefined;
  }

  take(by: number, nowMs: number): void {
    if (this.current !== undefined) return;
    this.ownerships.push({ by, from: Math.max(nowMs, this.ownerships.at(-1)?.to ?? nowMs), to: FOREVER });
  }

  release(by: number, nowMs: number): void {
    const { current } = this;
    if (current?.by !== by) return;
    current.to = Math.max(nowMs, current.from);
    for (const ms of this.samples) if (ms >= current.to) this.samples.delete(ms);
    if (current.from === current.to) this.ownerships.pop();
  }

  load(by: number, times: readonly number[], nowMs: number): void {
    for (const ms of times) if (this.ownerAt(ms) === by && ms <= nowMs + AHEAD_MS) this.samples.add(ms);
  }

  readable = (by: number) => [...this.samples].filter((ms) => this.ownerAt(ms) === by);

  /** Returns the athlete of the owner's oldest time frame at this time. */
  wearerAt = (ms: number) =>
    this.frames
      .filter(({ by, from, to }) => by === this.ownerAt(ms) && from <= ms && ms <= to)
      .sort((a, b) => a.at - b.at || a.id - b.id)[0]?.athlete;

  exported = (athlete: number) => [...this.samples].filter((ms) => this.wearerAt(ms) === athlete);

  drop(times: readonly number[]): void {
    for (const ms of times) this.samples.delete(ms);
  }

  erase(athlete: number): void {
    this.drop(this.exported(athlete));
    this.frames = this.frames.filter((frame) => frame.athlete !== athlete);
  }

  delete(by: number): void {
    this.drop(this.readable(by));
    this.ownerships = this.ownerships.filter((ownership) => ownership.by !== by);
    this.frames = this.frames.filter((frame) => frame.by !== by);
  }

  copy(): Model {
    const copy = new Model();
    copy.ownerships = structuredClone(this.ownerships);
    copy.samples = new Set(this.samples);
    copy.frames = structuredClone(this.frames);
    copy.permitted = new Set(this.permitted);
    return copy;
  }
}
