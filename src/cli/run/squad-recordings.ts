import { basename } from "node:path";
import { type RecordingExtent, refuseWrongDates, type SquadRecording } from "../../squad/index.js";
import type { HrSource } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { type Input, nameOf } from "../batch/inputs.js";
import { type ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import { type ReadSamples, readSamples, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";

/** A recording in memory, with when and where it was made. */
export type ReadRecording = SquadRecording & RecordingExtent;

/** What the table of a squad needs of a recording that has been read. */
export function readRecording(
  input: Input,
  { samples, inspection: { info, report } }: ReadSamples,
): ReadRecording {
  return {
    fileName: basename(input.name),
    serial: info.serial,
    samples,
    isDamaged: isDamaged(report),
    isTruncated: report.damage.overruns > 0,
    startMs: report.start ?? 0,
    endMs: report.end ?? 0,
    place: {
      latitude: (samples.latitudeE7[0] ?? 0) / 1e7,
      longitude: (samples.longitudeE7[0] ?? 0) / 1e7,
    },
  };
}

/** Reads all inputs. Those that cannot be read are told, and the others go on. */
export async function readRecordings(
  inputs: readonly Input[],
  hr: HrSource | undefined,
  context: Context,
): Promise<{ recordings: ReadRecording[]; status: ExitStatus }> {
  const { console, signal } = context;
  const selection = selectionOf(hr === undefined ? {} : { hr });
  const recordings: ReadRecording[] = [];
  const status = await runBatch<ReadSamples>(context, {
    inputs,
    json: false,
    async work(input, _, onProgress) {
      const read = await readSamples(input, selection, signal, onProgress);
      const { start, end } = read.inspection.report;
      refuseWrongDates({ startMs: start ?? 0, endMs: end ?? 0 });
      return read;
    },
    async show(read, input) {
      recordings.push(readRecording(input, read));
      for (const line of notices(console, nameOf(input), read.inspection.report)) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ inspection }) => statusOf(inspection.report),
  });
  return { recordings, status };
}
