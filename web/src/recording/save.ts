import { convert, encode, type FormatName, rowsOf, type SampleBatch } from "asi-convert";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-name.js";
import type { Facts } from "./recording.js";

/** What can be downloaded: a recording, or a format of the library. */
export type SavedFormat = "asi" | FormatName;

export interface Saved {
  blob: Blob;
  fileName: string;
}

/**
 * Writes a recording or a part of it in a format.
 *
 * @param part null for the whole
 */
export async function save(
  facts: Facts,
  file: Blob,
  rows: SampleBatch,
  format: SavedFormat,
  part: TimeWindow | null,
): Promise<Saved> {
  const limits = part === null ? {} : { from: Math.ceil(part.startMs), to: Math.floor(part.stopMs) };
  if (format === "asi") {
    if (isRecording(facts) && part === null) return { blob: file, fileName: facts.fileName };
    const blob = await collected(recordingOf(facts, rows, part), "application/octet-stream");
    return { blob, fileName: `${nameWithoutExtension(facts.fileName)}.asi` };
  }
  const source = isRecording(facts) ? file : await collected(recordingOf(facts, rows, null), "");
  const conversion = convert(source, { format, ...limits });
  const blob = await collected(conversion.body, conversion.mediaType);
  return { blob, fileName: await conversion.fileName };
}

// The log of a receiver is no recording: it has no header.
function isRecording({ kind, info }: Facts): boolean {
  return kind === "asi" && info?.formatVersion !== null;
}

// Rows of tracks and logs are converted by way of a recording, which is what the library converts.
function recordingOf(facts: Facts, rows: SampleBatch, part: TimeWindow | null): ReadableStream<Uint8Array> {
  const { info } = facts;
  const header = info ?? { serial: serialFrom(facts.fileName), deviceName: "", deviceType: facts.kind };
  return encode(rowsOf(part === null ? rows : rowsIn(rows, part)), header);
}

function rowsIn(rows: SampleBatch, { startMs, stopMs }: TimeWindow): SampleBatch {
  const from = indexAt(rows.timestampMs, startMs);
  const to = indexAt(rows.timestampMs, Math.floor(stopMs) + 1);
  return {
    length: to - from,
    timestampMs: rows.timestampMs.subarray(from, to),
    latitudeE7: rows.latitudeE7.subarray(from, to),
    longitudeE7: rows.longitudeE7.subarray(from, to),
    altitudeMm: rows.altitudeMm.subarray(from, to),
    speedMmPerS: rows.speedMmPerS.subarray(from, to),
    hr: rows.hr.subarray(from, to),
    fixType: rows.fixType.subarray(from, to),
  };
}

async function collected(stream: ReadableStream<Uint8Array>, type: string): Promise<Blob> {
  const parts: BlobPart[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts, { type });
}

const LONGEST_SERIAL = 16;

/** A serial number for files that have none: what a serial number may consist of, from the name of the file. */
function serialFrom(fileName: string): string {
  const allowed = nameWithoutExtension(fileName).replace(/[^A-Za-z0-9._-]+/g, "-");
  // so that it is no reserved name either
  return `T${allowed}`.slice(0, LONGEST_SERIAL);
}
