import { decode, findDamage, type SampleBatch } from "asi-convert";
import { mainInterval, type RecordingExtent, refuseWrongDates } from "asi-convert/squad";
import type { AnswerHooks } from "../answer-calls.js";
import { isDamaged } from "../is-damaged.js";
import { type FactsOfFile, inTimeOrder } from "../prepare.js";
import { readFile } from "../read-file.js";
import type { ReadRecording } from "./squad-recording.js";

/** Reads a recording of a squad in any format that the page opens. The file may be truncated. @throws as `readFile` */
export async function readSquadFile(file: File, hooks: AnswerHooks): Promise<ReadRecording> {
  const { batches, facts, isCut, unpacked } = await readFile(file, {
    serial: null,
    mayBeCut: true,
    ...hooks,
  });
  const { rows: samples } = inTimeOrder(batches);
  const { report, info } = facts;
  const { timestampMs } = samples;
  refuseWrongDates({ startMs: timestampMs[0] ?? 0, endMs: timestampMs[samples.length - 1] ?? 0 });
  return {
    fileName: file.name,
    serial: info?.serial ?? "",
    samples,
    isDamaged: isDamaged(facts),
    isTruncated: isCut || (report !== null && report.damage.overruns > 0),
    report,
    isCut,
    ...(await damageOf(unpacked, facts)),
    ...extentOf(samples),
  };
}

/** Finds the damage. Only a damaged recording is read twice. */
async function damageOf(
  file: File,
  facts: FactsOfFile,
): Promise<Pick<ReadRecording, "damagedAfterMs" | "hasMoreDamage">> {
  const { cutOff, report, info } = facts;
  if (cutOff !== null) return { damagedAfterMs: cutOff.afterMs === null ? [] : [cutOff.afterMs] };
  if (report === null || !isDamaged(facts)) return { damagedAfterMs: [] };
  const { places, hasMore } = await findDamage(file, { serial: info?.serial });
  return { damagedAfterMs: places.flatMap(({ afterMs }) => afterMs ?? []), hasMoreDamage: hasMore };
}

/** Returns the time and place of a recording. Rows that the tracker wrote before it received the date do not count for the time. */
export function extentOf(samples: SampleBatch): RecordingExtent {
  const { length, latitudeE7, longitudeE7 } = samples;
  const { startMs, endMs } = mainInterval([{ samples }]);
  return {
    startMs,
    endMs: Math.max(startMs, endMs - 1),
    place:
      length === 0 ? null : { latitude: (latitudeE7[0] ?? 0) / 1e7, longitude: (longitudeE7[0] ?? 0) / 1e7 },
  };
}

/** The number of bytes read at each end to find the time of a recording. */
const END_BYTES = 2 ** 17;
/** The end of a compressed recording is unknown before it is unpacked. This duration is assumed. */
const USUAL_MS = 90 * 60_000;
/** Files of watches are read completely. Larger files are recordings of trackers. */
const MOST_WHOLE_BYTES = 2 ** 24;

/** Reads the time and place of a recording from its ends. Returns null if the file does not contain them. */
export async function peek(file: File): Promise<RecordingExtent | null> {
  const isPacked = /\.gz$/i.test(file.name);
  const first = await firstSamples(file, isPacked);
  if (first === null) return file.size > MOST_WHOLE_BYTES ? null : wholeExtent(file);
  const extent = extentOf(first.samples);
  const last = isPacked ? null : await samplesIn(file.slice(-END_BYTES), first.serial);
  const endMs = last === null ? extent.startMs + USUAL_MS : extentOf(last.samples).endMs;
  return { ...extent, endMs: Math.max(extent.endMs, endMs) };
}

async function wholeExtent(file: File): Promise<RecordingExtent | null> {
  try {
    const { batches } = await readFile(file, { serial: null, mayBeCut: true, onProgress() {} });
    const { rows } = inTimeOrder(batches);
    return rows.length === 0 ? null : extentOf(rows);
  } catch {
    return null;
  }
}

async function firstSamples(file: File, isPacked: boolean) {
  if (!isPacked) return samplesIn(file.slice(0, END_BYTES), null);
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    while (bytes < END_BYTES) {
      const next = await reader.read();
      if (next.done) break;
      pieces.push(next.value);
      bytes += next.value.length;
    }
    await reader.cancel();
  } catch {
    // the rows up to this place may be enough
  }
  return samplesIn(new Blob(pieces), null);
}

async function samplesIn(part: Blob, serial: string | null) {
  try {
    const decoding = decode(part, serial === null ? {} : { serial });
    const batches: SampleBatch[] = [];
    for await (const batch of decoding) batches.push(batch);
    const { serial: found } = await decoding.info;
    const { rows: samples } = inTimeOrder(batches);
    return samples.length === 0 ? null : { samples, serial: found };
  } catch {
    return null;
  }
}
