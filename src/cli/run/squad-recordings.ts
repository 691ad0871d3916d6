import { basename } from "node:path";
import { findDamage } from "../../api/find-damage.js";
import { UntilCut } from "../../files/gzip.js";
import type { Repeated } from "../../metrics/samples.js";
import {
  isSameRecording,
  mainInterval,
  type RecordingExtent,
  refuseWrongDates,
  type SquadRecording,
} from "../../squad/index.js";
import type { HrSource, Report } from "../../types.js";
import { type Context, runBatch } from "../batch/batch.js";
import { type Input, nameOf, openInput } from "../batch/inputs.js";
import { ExitStatus, isDamaged, statusOf } from "../terminal/exit-status.js";
import { type ReadSamples, readSamples, selectionOf } from "./read-samples.js";
import { notices } from "./report-text.js";

/** A recording in memory, with its time and place. */
export type ReadRecording = SquadRecording & RecordingExtent;

/**
 * Prepares a recording for the table of a squad.
 *
 * @throws the AsiError of `refuseWrongDates`
 */
export function readRecording(
  input: Input,
  { samples, isCut, inspection: { info, report } }: ReadSamples,
): ReadRecording {
  refuseWrongDates({ startMs: report.start ?? 0, endMs: report.end ?? 0 });
  // excludes rows that the tracker wrote before it received the date
  const { startMs, endMs } = mainInterval([{ samples }]);
  return {
    startMs,
    endMs: endMs - 1,
    fileName: basename(input.name),
    serial: info.serial,
    samples,
    isDamaged: isCut || isDamaged(report),
    isTruncated: isCut || report.damage.overruns > 0,
    damagedAfterMs: firstDamageOf(report),
    place: {
      latitude: (samples.latitudeE7[0] ?? 0) / 1e7,
      longitude: (samples.longitudeE7[0] ?? 0) / 1e7,
    },
  };
}

const firstDamageOf = ({ firstDamage }: Report): number[] =>
  firstDamage?.afterMs == null ? [] : [firstDamage.afterMs];

/** Larger recordings are not read into memory. 18 hours at 10 Hz, without the ECG waveform, are within this limit. */
const MAX_BYTES_READ_AGAIN = 2 ** 26;

/** Reads a damaged file again to find all damaged places, because the report contains only the first one. */
async function damageOf(
  input: Input,
  { inspection: { info, report } }: ReadSamples,
  signal: AbortSignal,
): Promise<Pick<ReadRecording, "damagedAfterMs" | "hasMoreDamage">> {
  const { total } = report.bytes;
  const known = { damagedAfterMs: firstDamageOf(report), hasMoreDamage: true };
  if (input.kind !== "file" || total > MAX_BYTES_READ_AGAIN) return known;
  try {
    const bytes = new Uint8Array(total);
    let length = 0;
    for await (const chunk of new UntilCut(openInput(input))) {
      // the file may have grown
      bytes.set(chunk.subarray(0, total - length), length);
      length = Math.min(total, length + chunk.length);
    }
    const { places, hasMore } = await findDamage(bytes.subarray(0, length), { serial: info.serial, signal });
    return { damagedAfterMs: places.flatMap(({ afterMs }) => afterMs ?? []), hasMoreDamage: hasMore };
  } catch {
    signal.throwIfAborted();
    // the file was removed after it was read
    return known;
  }
}

/**
 * Adds a recording unless it is a copy. The file with the shorter name is kept, because "a (1).asi" is a copy of a.asi.
 *
 * @returns a message about an ignored copy, otherwise null
 */
export function addRecording(recordings: ReadRecording[], recording: ReadRecording): string | null {
  const index = recordings.findIndex((one) => isSameRecording(one, recording));
  const other = recordings[index];
  if (other === undefined) {
    recordings.push(recording);
    return null;
  }
  const isShorter = recording.fileName.length < other.fileName.length;
  if (isShorter) recordings[index] = recording;
  const [kept, copy] = isShorter ? [recording, other] : [other, recording];
  return copyText(copy.fileName, kept.fileName);
}

/** Returns the message about an ignored copy. */
export const copyText = (name: string, original: string): string =>
  name === original
    ? `Two files named ${name} have the same content, and one is ignored`
    : `${name} has the same content as ${original} and is ignored`;

/** The message about truncated compressed data. */
export const CUT_TEXT = "the gzip data are truncated; the rows before the end are used";

export interface ReadingChoice {
  hr?: HrSource | undefined;
  quality?: boolean;
  /** Whether to find all damaged places of each recording, for reports, instead of only the first one. */
  findsDamage?: boolean;
}

/** Reads all inputs. Truncated inputs are read up to their end. Unreadable inputs are reported, and do not affect the others. */
export async function readRecordings(
  inputs: readonly Input[],
  { hr, quality, findsDamage = false }: ReadingChoice,
  context: Context,
): Promise<{
  recordings: ReadRecording[];
  /** Names of the files that could not be read. */
  unread: string[];
  status: ExitStatus;
}> {
  const { console, signal } = context;
  const selection = {
    ...selectionOf(hr === undefined ? {} : { hr }),
    ...(quality !== undefined && { quality }),
    mayBeCut: true,
  };
  const recordings: ReadRecording[] = [];
  const unread = new Set(inputs);
  const status = await runBatch<{
    recording: ReadRecording;
    report: Report;
    isCut: boolean;
    repeated: Repeated;
  }>(context, {
    inputs,
    json: false,
    async work(input, _, onProgress) {
      const read = await readSamples(input, selection, signal, onProgress);
      const { inspection, isCut, repeated } = read;
      const recording = readRecording(input, read);
      const damage = findsDamage && inspection.report.firstDamage !== undefined;
      if (damage) Object.assign(recording, await damageOf(input, read, signal));
      return { recording, report: inspection.report, isCut, repeated };
    },
    async show({ recording, report, isCut, repeated }, input) {
      unread.delete(input);
      const copy = addRecording(recordings, recording);
      if (copy !== null) console.message(copy);
      if (isCut) console.message(`${nameOf(input)}: ${CUT_TEXT}`);
      for (const line of notices(console, nameOf(input), report, { repeated })) console.message(...line);
    },
    toJson: () => ({}),
    statusOf: ({ report, isCut }) => (isCut ? ExitStatus.doneWithDamage : statusOf(report)),
  });
  return { recordings, unread: [...unread].map((input) => basename(nameOf(input))), status };
}
