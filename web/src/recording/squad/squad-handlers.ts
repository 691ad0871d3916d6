import { AsiError } from "asi-convert";
import { memberFigures, type SquadRecording } from "asi-convert/squad";
import type { Handlers } from "../answer-calls.js";
import { inTimeOrder } from "../prepare.js";
import type { AskedRecording, SquadRequests } from "./messages.js";
import { extentOf, peek, readSquadFile } from "./read-squad-file.js";

/** A recording with the data for figures. */
interface KeptRecording extends SquadRecording {
  /** The correction of its clock, ms. The times of its samples include the correction. */
  shiftMs: number;
  /** The file, or null for data that did not come from a file. */
  file: File | null;
  /** Fulfilled when the samples have their quality, if the file contains it. It is undefined until a recipe with a gate counts. */
  withQuality?: Promise<void>;
}

/** Recordings by id. */
const kept = new Map<number, KeptRecording>();

/** Returns a recording with this correction of its clock. */
function find({ id, shiftMs }: AskedRecording): KeptRecording {
  const found = kept.get(id);
  if (found === undefined) throw new Error(`The recording ${id} is closed.`);
  const { timestampMs } = found.samples;
  const byMs = shiftMs - found.shiftMs;
  if (byMs !== 0) for (const [i, ms] of timestampMs.entries()) timestampMs[i] = ms + byMs;
  found.shiftMs = shiftMs;
  return found;
}

const withoutName = {
  fileName: "",
  serial: "",
  isDamaged: false,
  isTruncated: false,
  damagedAfterMs: [],
  shiftMs: 0,
};

/** The worker's answers to the squad view. */
export const squadHandlers: Handlers<SquadRequests> = {
  peek: ({ file }) => peek(file),
  async read({ id, file }, hooks) {
    const recording = await readSquadFile(file, hooks);
    hooks.signal.throwIfAborted();
    if (recording.samples.length === 0) {
      throw new AsiError("NO_SAMPLES", "It has no sample with a time and a position.");
    }
    kept.set(id, { ...withoutName, samples: recording.samples, file });
    return recording;
  },
  async readRange({ id, range, fileName }, hooks) {
    const { fetchRange } = await import("../fetch-range.js");
    const { batches } = await fetchRange(range, hooks);
    hooks.signal.throwIfAborted();
    const { rows: samples } = inTimeOrder(batches);
    kept.set(id, { ...withoutName, samples, file: null });
    const sound = { isDamaged: false, isTruncated: false, isCut: false, report: null, damagedAfterMs: [] };
    return { ...sound, fileName, serial: range.device.serial, samples, ...extentOf(samples) };
  },
  adopt({ id, samples, shiftMs, file }) {
    // a range of the service has an empty file
    kept.set(id, { ...withoutName, samples, shiftMs, file: file.size === 0 ? null : file });
    return null;
  },
  async demoFile(asked) {
    const { demoFile } = await import("./demo-match.js");
    return demoFile(asked);
  },
  forget({ id }) {
    kept.delete(id);
    return null;
  },
  async memberFigures({ members, options: { optionalFigures, ...options } }) {
    if (options.recipes?.some(({ gate }) => gate !== null)) {
      // recordings are read one after another, to limit memory
      for (const one of members.flatMap(({ recordings }) => recordings)) await addQuality(find(one));
    }
    const functions =
      optionalFigures.length === 0
        ? {}
        : (await import("./optional-functions.js")).optionalFunctions(optionalFigures);
    const all = { ...options, ...functions };
    return members.map(({ recordings, intervals, ...member }) =>
      memberFigures({ ...member, recordings: recordings.map(find), leftOut: [] }, intervals, all),
    );
  },
};

function addQuality(recording: KeptRecording): Promise<void> {
  recording.withQuality ??= (async () => {
    const { file, samples } = recording;
    if (file === null) return;
    const { qualityOf } = await import("./read-quality.js");
    const quality = await qualityOf(file, samples);
    if (quality !== null) recording.samples = { ...samples, quality };
  })();
  return recording.withQuality;
}
