/** Values at ascending times, as integers in the units of recordings, which are `mm/s`, `mm` or beats per minute. */
export interface Series {
  timesMs: Float64Array;
  values: Int32Array | Int16Array | Uint8Array;
  /** The numbers of the values after which the line is interrupted. */
  gapsAfter: ReadonlySet<number>;
}

/** Minimum, maximum and sum of each block of `FAN_OUT` entries of the level below. The lowest level summarizes values. */
interface Level {
  minimum: Int32Array;
  maximum: Int32Array;
  sum: Float64Array;
}

export interface Pyramid {
  series: Series;
  levels: Level[];
}

/** Minimum, maximum and mean of some values. */
export interface Extent {
  minimum: number;
  maximum: number;
  mean: number;
}

const FAN_OUT = 16;

/** Summarizes a series. The extent of a part then takes a few steps for any length of the part. */
export function buildPyramid(series: Series): Pyramid {
  const levels: Level[] = [];
  const { values } = series;
  let below: Level = { minimum: values as Int32Array, maximum: values as Int32Array, sum: values as never };
  for (let size = Math.floor(values.length / FAN_OUT); size > 0; size = Math.floor(size / FAN_OUT)) {
    below = levelAbove(below, size);
    levels.push(below);
  }
  return { series, levels };
}

function levelAbove(below: Level, size: number): Level {
  const above = {
    minimum: new Int32Array(size),
    maximum: new Int32Array(size),
    sum: new Float64Array(size),
  };
  for (let block = 0, at = 0; block < size; block++) {
    let minimum = Number.POSITIVE_INFINITY;
    let maximum = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (const end = at + FAN_OUT; at < end; at++) {
      minimum = Math.min(minimum, below.minimum[at] as number);
      maximum = Math.max(maximum, below.maximum[at] as number);
      sum += below.sum[at] as number;
    }
    above.minimum[block] = minimum;
    above.maximum[block] = maximum;
    above.sum[block] = sum;
  }
  return above;
}

/** Returns the extent of the values from `from` to before `to`, or null if there are none. */
export function extentOf({ series, levels }: Pyramid, from: number, to: number): Extent | null {
  if (to <= from) return null;
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let at = from; at < to; ) {
    let size = 1;
    let level = -1;
    while (level + 1 < levels.length && at % (size * FAN_OUT) === 0 && at + size * FAN_OUT <= to) {
      size *= FAN_OUT;
      level += 1;
    }
    const summary = levels[level];
    const block = at / size;
    minimum = Math.min(minimum, (summary?.minimum ?? series.values)[block] as number);
    maximum = Math.max(maximum, (summary?.maximum ?? series.values)[block] as number);
    sum += (summary?.sum ?? series.values)[block] as number;
    at += size;
  }
  return { minimum, maximum, mean: sum / (to - from) };
}
