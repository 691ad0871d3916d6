import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { samplesToCsv } from "asi-convert/csv";
import type { Queries } from "../../store/connection/database.js";
import {
  allocateColumns,
  type Interval,
  type SampleColumns,
  sliceColumns,
} from "../../store/samples/index.js";
import type { Context } from "../change/context.js";
import { ownedSamples } from "../raw-data/owned-samples.js";
import { type Worn, wornDevices, wornTimes } from "../sample-ownership/wearers.js";
import type { ZipEntry } from "./zip.js";

/*
 * The samples of an athlete in the archive. The number of files depends on the number of samples and not on the number of time
 * frames, because an archive keeps an entry for each file in memory until its end, and an athlete can have a million time frames.
 */

/**
 * Minimum number of samples in a file, except the last file of a device and owner. A match of 90 minutes at 10 Hz therefore has its
 * own file, which a spreadsheet can open.
 */
export const MIN_SAMPLES = 50_000;
/** Maximum number of intervals, and of time frames, whose samples are read together. */
const INTERVALS = 200;
const DAY_MS = 86_400_000;

/** File of samples in the archive. */
export interface SampleFile extends ZipEntry {
  /** Description of the file, complete after its content has been read. Rows from `start` through `stop`. */
  listed: { name: string; rows: number; device: number; owner: number; start: string; stop: string };
}

/** Samples of one day in UTC, valid until the next ones are requested. */
interface Piece {
  /** Days since 1970. */
  day: number;
  samples: SampleColumns;
}

/**
 * Yields the CSV files with the samples of an athlete. Each sample is in one file. The files of a device and owner are in
 * chronological order. Each consists of whole days in UTC and ends with the day in which it reaches `MIN_SAMPLES`. Read the content
 * of each file before you request the next file.
 * @returns also `null`, so that the reader can stop during a long search for samples
 * @throws ServiceError `forbidden` when samples that were read belong to the next owner of the device
 */
export async function* sampleFilesOf(
  ctx: Context,
  athleteId: number,
): AsyncGenerator<SampleFile | null, void, undefined> {
  for (const worn of await wornDevices(ctx.queries, athleteId)) yield* filesOf(ctx, worn);
}

async function* filesOf(ctx: Context, worn: Worn): AsyncGenerator<SampleFile | null, void, undefined> {
  const pieces = piecesOf(ctx, worn);
  let read = await pieces.next();
  async function* content(listed: SampleFile["listed"]): AsyncGenerator<Uint8Array | string> {
    yield samplesToCsv(allocateColumns(0));
    for (let day = Number.NaN; read.done !== true; read = await pieces.next()) {
      if (read.value === null) {
        yield "";
        continue;
      }
      const { samples } = read.value;
      if (read.value.day !== day && listed.rows >= MIN_SAMPLES) return;
      ({ day } = read.value);
      listed.rows += samples.length;
      listed.stop = isoTime(samples.timestampMs[samples.length - 1]);
      yield samplesToCsv(samples, { header: false });
    }
  }
  try {
    while (read.done !== true) {
      if (read.value === null) {
        yield null;
        read = await pieces.next();
        continue;
      }
      const start = isoTime(read.value.samples.timestampMs[0]);
      const { deviceId: device, ownerId: owner } = worn;
      const name = `samples/${start.slice(0, 10)}_device-${device}_owner-${owner}.csv`;
      const listed = { name, rows: 0, device, owner, start, stop: start };
      yield { name, content: content(listed), listed };
    }
  } finally {
    await pieces.return();
  }
}

const isoTime = (ms = Number.NaN): string => new Date(ms).toISOString();

/** Yields the samples in chronological order, and `null` after each group of intervals. */
async function* piecesOf(ctx: Context, worn: Worn): AsyncGenerator<Piece | null, void, undefined> {
  for await (const intervals of intervalsOf(ctx.queries, worn)) {
    // The archive rechecks the right before each part of each file.
    for await (const batch of ownedSamples(ctx, worn, intervals, async () => undefined))
      yield* piecesIn(batch);
    // The group may be empty, and then reads nothing.
    await nextEventLoopTurn();
    yield null;
  }
}

/** Yields the times of the athlete in groups of limited size, so that samples of many short time frames are read together. */
async function* intervalsOf(queries: Queries, worn: Worn): AsyncGenerator<Interval[], void, undefined> {
  let intervals: Interval[] = [];
  let frames = 0;
  for await (const { own } of wornTimes(queries, worn)) {
    for (const interval of own) {
      intervals.push(interval);
      if (intervals.length < INTERVALS) continue;
      yield intervals;
      intervals = [];
    }
    frames++;
    if (frames % INTERVALS !== 0) continue;
    yield intervals;
    intervals = [];
  }
  yield intervals;
}

function* piecesIn(batch: SampleColumns): Generator<Piece> {
  const dayOf = (ms = Number.NaN) => Math.floor(ms / DAY_MS);
  for (let from = 0; from < batch.length; ) {
    const day = dayOf(batch.timestampMs[from]);
    const part = sliceColumns(batch, from, batch.length);
    const next = part.timestampMs.findIndex((ms) => dayOf(ms) !== day);
    const samples = next === -1 ? part : sliceColumns(part, 0, next);
    yield { day, samples };
    from += samples.length;
  }
}
