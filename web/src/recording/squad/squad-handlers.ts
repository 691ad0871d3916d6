import { AsiError } from "asi-convert";
import { memberFigures, type SquadRecording } from "asi-convert/squad";
import type { Handlers } from "../answer-calls.js";
import { inTimeOrder } from "../prepare.js";
import type { SquadRequests } from "./messages.js";
import { extentOf, peek, readSquadFile } from "./read-squad-file.js";

/** Recordings by id, with the data for figures. */
const kept = new Map<number, SquadRecording>();

function find(id: number): SquadRecording {
  const found = kept.get(id);
  if (found === undefined) throw new Error(`The recording ${id} is closed.`);
  return found;
}

const withoutName = { fileName: "", serial: "", isDamaged: false, isTruncated: false, damagedAfterMs: [] };

/** The worker's answers to the squad view. */
export const squadHandlers: Handlers<SquadRequests> = {
  peek: ({ file }) => peek(file),
  async read({ id, file }, hooks) {
    const recording = await readSquadFile(file, hooks);
    hooks.signal.throwIfAborted();
    if (recording.samples.length === 0) {
      throw new AsiError("NO_SAMPLES", "It has no sample with a time and a position.");
    }
    kept.set(id, { ...withoutName, samples: recording.samples });
    return recording;
  },
  async readRange({ id, range, fileName }, hooks) {
    const { fetchRange } = await import("../fetch-range.js");
    const { batches } = await fetchRange(range, hooks);
    hooks.signal.throwIfAborted();
    const { rows: samples } = inTimeOrder(batches);
    kept.set(id, { ...withoutName, samples });
    const sound = { isDamaged: false, isTruncated: false, isCut: false, report: null, damagedAfterMs: [] };
    return { ...sound, fileName, serial: range.device.serial, samples, ...extentOf(samples) };
  },
  adopt({ id, samples }) {
    kept.set(id, { ...withoutName, samples });
    return null;
  },
  shift({ id, byMs }) {
    const { timestampMs } = find(id).samples;
    for (let i = 0; i < timestampMs.length; i++) timestampMs[i] = (timestampMs[i] ?? 0) + byMs;
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
  memberFigures: ({ members, options }) =>
    members.map(({ recordings, player, intervals }) =>
      memberFigures({ name: "", player, recordings: recordings.map(find), leftOut: [] }, intervals, options),
    ),
};
