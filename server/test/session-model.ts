/** Reference implementation of the rights to read each figure of a session, for blocks of ten minutes. */

/** Number of blocks in a session. */
export const BLOCKS = 6;
export const BLOCK_MS = 600_000;

/** Blocks from the first (included) to the last (excluded). */
export interface Span {
  from: number;
  to: number;
}

/** A time frame of the session as it is stored. */
export interface Frame {
  id: number;
  athlete: number;
  device: number;
  period: string;
  span: Span;
}

/** Samples of a device in a block. */
export interface Stored {
  device: number;
  block: number;
}

/** The times of the session and its periods. */
export interface SessionTimes {
  session: Span;
  periods: readonly { name: string; span: Span; athlete: number | null }[];
}

/** Data from which a value is computed. */
export interface Source {
  frames: readonly Frame[];
  /** The times at which the samples of the time frames count; by default always. */
  times?: SessionTimes;
  /** All time frames of the athlete in the session. */
  trackers: readonly Frame[];
  samples: readonly Stored[];
}

/** Number of samples of a device in a block, 10 per second. */
export const SAMPLES = 200;

/**
 * Returns the speed of all samples of a device in a block, mm/s. A distance shows which samples it includes, because each block
 * is a digit in base 4.
 */
export const speedOf = (place: number, block: number): number => 1000 + (place + 1) * 4 ** block;

const blocksOf = ({ from, to }: Span) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
const contains = ({ from, to }: Span, block: number) => from <= block && block < to;

/** Whether a block is in the time of the session or period of a time frame. Rows with the athlete replace rows without an athlete. */
function isInPeriod({ athlete, period }: Frame, block: number, times: SessionTimes | undefined): boolean {
  if (times === undefined) return true;
  if (period === "") return contains(times.session, block);
  const named = times.periods.filter(({ name }) => name === period);
  const own = named.filter((row) => row.athlete === athlete);
  const rows = own.length > 0 ? own : named.filter((row) => row.athlete === null);
  return rows.some(({ span }) => contains(span, block));
}

interface Earlier {
  ids: ReadonlySet<number>;
  contents: ReadonlySet<string>;
  samples: readonly Stored[];
  times: SessionTimes;
  deleted: Stored[];
  /** Devices with samples that retention had removed by then. */
  lost: ReadonlySet<number>;
}

/** Returns what an earlier state contains of a source; null if its figures must not remain. */
function earlierOf({ ids, contents, samples, times, deleted }: Earlier, of: Source): Source | null {
  const isKnown = (frame: Frame) => contents.has(contentOf(frame));
  const isSame = of.trackers.every((frame) => isKnown(frame) || !ids.has(frame.id));
  const [frames, trackers] = [of.frames.filter(isKnown), of.trackers.filter(isKnown)];
  const isDeleted = of.trackers.some(({ device, span }) =>
    deleted.some((one) => one.device === device && contains(span, one.block)),
  );
  if (frames.length === 0 || !isSame || isDeleted) return null;
  return { frames, trackers, samples, ...(of.times && { times }) };
}

/** Rights of the owner of a session and of another manager. Accounts and devices are ids. */
export class SessionModel {
  readonly ownerships: { device: number; manager: number; span: Span }[] = [];
  permissions: { athlete: number; manager: number; kind: "READ" | "WRITE"; span: Span }[] = [];
  readonly members = new Set<number>();
  /** Devices in the order of their heart rates. */
  readonly devices: number[] = [];
  /** The stored samples before each step. Earlier results remain valid if retention removes samples. */
  readonly #earlier: Earlier[] = [];
  /** Devices with samples removed by retention. */
  readonly #lost = new Set<number>();

  mayRead(manager: number, athlete: number, { from, to }: Span): boolean {
    return blocksOf({ from, to }).every((block) =>
      this.permissions.some(
        (one) =>
          one.kind === "READ" &&
          one.manager === manager &&
          one.athlete === athlete &&
          contains(one.span, block),
      ),
    );
  }

  owns(manager: number, device: number, block: number): boolean {
    return this.ownerships.some(
      (one) => one.device === device && one.manager === manager && contains(one.span, block),
    );
  }

  /** Returns the athlete and the period of each row with time frames that a manager may read. */
  visible(manager: number, frames: readonly Frame[]): string[] {
    const keyOf = ({ athlete, period }: Frame) => `${athlete} ${period}`;
    const isHidden = ({ athlete, span }: Frame) =>
      !this.members.has(athlete) || !this.mayRead(manager, athlete, span);
    const hidden = new Set(frames.filter(isHidden).map(keyOf));
    return [...new Set(frames.map(keyOf))].filter((key) => !hidden.has(key)).sort();
  }

  /** Returns for each device of the athlete the blocks with samples from times at which the manager owned it. */
  #blocksByDevice(manager: number, { trackers, samples }: Source): Map<number, Set<number>> {
    const blocks = new Map<number, Set<number>>();
    for (const { device, block } of samples) {
      const isWorn = trackers.some((frame) => frame.device === device && contains(frame.span, block));
      if (!isWorn || !this.owns(manager, device, block)) continue;
      blocks.set(device, (blocks.get(device) ?? new Set()).add(block));
    }
    return blocks;
  }

  /** Returns whether a distance is the sum of the blocks in the time frames, without the devices that do not count. */
  #isTotal(distance: number | null, manager: number, of: Source): boolean {
    const byDevice = this.#blocksByDevice(manager, of);
    const blocks = new Set(
      of.frames.flatMap((frame) =>
        blocksOf(frame.span).filter((block) => isInPeriod(frame, block, of.times)),
      ),
    );
    return choicesOfDevices(byDevice).some((devices) => {
      const speeds = [...blocks].map((block) =>
        devices
          .filter((device) => byDevice.get(device)?.has(block))
          .map((device) => speedOf(this.devices.indexOf(device), block)),
      );
      const distances = speeds
        .filter((ofBlock) => ofBlock.length > 0)
        .map((ofBlock) => ofBlock.map((speed) => speed * 0.1 * (SAMPLES - 1)));
      return isSum(distance, distances);
    });
  }

  /**
   * Returns whether a distance in m results from exactly the samples of the time frames, including samples that retention has
   * removed. Figures with such samples remain when time frames are added.
   */
  isDistanceOf(distance: number | null, manager: number, of: Source): boolean {
    if (this.#isTotal(distance, manager, of)) return true;
    if (!of.trackers.some(({ device }) => this.#lost.has(device))) return false;
    return (
      this.#isEarlier(distance, manager, of) ||
      // Without figures from before, there are none, because those of the other samples would look complete.
      (distance === null &&
        of.frames.some(({ device }) => this.#lost.has(device)) &&
        !this.#hadFigures(manager, of))
    );
  }

  #isEarlier(distance: number | null, manager: number, of: Source): boolean {
    return this.#earlier.some((state) => {
      const known = earlierOf(state, of);
      return known !== null && this.#isTotal(distance, manager, known);
    });
  }

  /** Whether the time frames had figures before retention, which must remain. */
  #hadFigures(manager: number, of: Source): boolean {
    return this.#earlier.some((state) => {
      const known = earlierOf(state, of);
      const isSame =
        known?.frames.length === of.frames.length && known.trackers.length === of.trackers.length;
      const isComplete = of.trackers.every(({ device }) => !state.lost.has(device));
      return isSame && isComplete && !this.#isTotal(null, manager, known);
    });
  }

  remember(frames: readonly Frame[], samples: readonly Stored[], times: SessionTimes): void {
    const ids = new Set(frames.map(({ id }) => id));
    const contents = new Set(frames.map(contentOf));
    this.#earlier.push({ ids, contents, samples, times, deleted: [], lost: new Set(this.#lost) });
  }

  loseToRetention(samples: readonly Stored[]): void {
    for (const { device } of samples) this.#lost.add(device);
  }

  /** Records deleted samples, whose values must not be shown again, not even after retention. */
  forget(deleted: readonly Stored[]): void {
    for (const earlier of this.#earlier) earlier.deleted.push(...deleted);
  }
}

/** Returns the properties of a time frame that determine its result. */
const contentOf = ({ id, athlete, device, span }: Frame) =>
  `${id} ${athlete} ${device} ${span.from} ${span.to}`;

/**
 * Returns the maximum number of common blocks for a change of the device, as in the rules for squads: a minute, and half of the
 * shorter data.
 */
const maxCommon = (blocks: ReadonlySet<number>) => Math.min(60 / (SAMPLES / 10), blocks.size / 2);

/**
 * Returns the devices whose data may count, without devices for whose time another device has more data. There is one choice for
 * each order of devices with equal data.
 */
function choicesOfDevices(byDevice: ReadonlyMap<number, ReadonlySet<number>>): number[][] {
  const orders = permutations([...byDevice]).filter((order) =>
    order.every(([, blocks], i) => i === 0 || blocks.size <= (order[i - 1]?.[1].size ?? 0)),
  );
  return orders.map((order) => {
    const kept: [number, ReadonlySet<number>][] = [];
    for (const [device, blocks] of order)
      if (
        kept.every(([, other]) => [...blocks].filter((block) => other.has(block)).length <= maxCommon(blocks))
      )
        kept.push([device, blocks]);
    return kept.map(([device]) => device);
  });
}

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, i) => permutations(values.toSpliced(i, 1)).map((rest) => [value, ...rest]));
}

/** Returns whether a distance is the sum of one distance from each block; null means that there are no blocks. */
function isSum(metres: number | null, blocks: readonly (readonly number[])[]): boolean {
  if (metres === null || blocks.length === 0) return metres === null && blocks.length === 0;
  const sum = (of: (values: readonly number[]) => number) =>
    blocks.reduce((total, values) => total + of(values), 0) / 1000;
  // The service rounds to centimetres.
  const rounding = 0.006;
  return (
    sum((values) => Math.min(...values)) - rounding <= metres &&
    metres <= sum((values) => Math.max(...values)) + rounding
  );
}
