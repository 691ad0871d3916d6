import {
  type ConvertOptions,
  convert,
  encode,
  type FormatName,
  rowsBetween,
  rowsOf,
  type SampleBatch,
} from "asi-convert";
import { withoutFormula } from "asi-convert/csv";
import { indexAt } from "../view/instants.js";
import type { TimeWindow } from "../view/window.js";
import { nameWithoutExtension } from "./file-names.js";
import type { Facts } from "./recording.js";
import { titlesOf } from "./timeline.js";

/** A download, which is the recording itself or a format of the library. */
export type SavedFormat = "asi" | FormatName;

/** Options of files, with the names of the library. */
export interface SaveOptions {
  /** The rows are one for each multiple of this time, or all rows if it is null. Recordings always contain all rows. */
  everyMs: number | null;
  /** The format of times in CSV and JSON lines, or null for the default of the format. */
  time: "iso" | "local" | "excel" | null;
  /** The zone for `local` and `excel`. */
  timeZone: string;
  /** The separators for CSV. */
  decimalMark: "." | ",";
  /** The type of numbers in Parquet. */
  numbers: "double" | "decimal";
}

export interface Saved {
  blob: Blob;
  fileName: string;
}

/** The rows and the file to save. */
export interface SavedRecording {
  facts: Facts;
  file: Blob;
  rows: SampleBatch;
  /** The saved part, or null for all rows. */
  part: TimeWindow | null;
}

/** Writes a recording or a part of it in a format. */
export async function save(saved: SavedRecording, format: SavedFormat, options: SaveOptions): Promise<Saved> {
  const { facts, file, rows, part } = saved;
  if (format === "asi") {
    if (isRecording(facts) && part === null) return { blob: file, fileName: facts.fileName };
    const blob = await collected(recordingOf(facts, rows, part), "application/octet-stream");
    return { blob, fileName: `${nameWithoutExtension(facts.fileName)}.asi` };
  }
  const conversion = await conversionOf(saved, format, options);
  const blob = await collected(conversion.body, conversion.mediaType);
  return { blob, fileName: await conversion.fileName };
}

/**
 * Writes the rows of several recordings as one CSV. Its first column names the recording. Recordings without rows in their parts are
 * absent.
 * @throws AsiError `NO_SAMPLES` if no recording has rows
 */
export async function saveTogether(all: readonly SavedRecording[], options: SaveOptions): Promise<Saved> {
  const delimiter = options.decimalMark === "," ? ";" : ",";
  const parts: BlobPart[] = [];
  const titles = titlesOf(all);
  const named = all.map((saved, i) => ({ saved, name: quoted(titles[i] ?? "") }));
  const withRows = named.filter(
    ({ saved: { rows, part } }) => part === null || rowsIn(rows, part).length > 0,
  );
  for (const [i, { saved, name }] of (withRows.length === 0 ? named : withRows).entries()) {
    const { body } = await conversionOf(saved, "csv", options);
    let isHeader = true;
    for await (const lines of linesOf(body)) {
      let text = "";
      for (const line of lines) {
        if (!isHeader) text += `${name}${delimiter}${line}\n`;
        else if (i === 0) text += `recording${delimiter}${line}\n`;
        isHeader = false;
      }
      parts.push(text);
    }
  }
  return { blob: new Blob(parts, { type: "text/csv" }), fileName: "recordings.csv" };
}

async function conversionOf(
  { facts, file, rows, part }: SavedRecording,
  format: FormatName,
  options: SaveOptions,
) {
  const source = isRecording(facts) ? file : await collected(recordingOf(facts, rows, null), "");
  const limits = part === null ? {} : { from: Math.ceil(part.startMs), to: Math.floor(part.stopMs) };
  return convert(source, { format, ...limits, ...layoutOf(format, options) });
}

function layoutOf(
  format: FormatName,
  { everyMs, time, timeZone, decimalMark, numbers }: SaveOptions,
): ConvertOptions {
  const every = everyMs === null ? {} : { everyMs };
  const isZoned = time === "local" || time === "excel";
  const times = time === null ? {} : { time, ...(isZoned ? { timeZone } : {}) };
  switch (format) {
    case "csv":
      return { ...every, ...times, decimalMark };
    case "jsonl":
      // the time format of spreadsheets is only for CSV
      return time === "excel" ? every : { ...every, ...times };
    case "parquet":
      return { ...every, numbers };
    default:
      return every;
  }
}

const quoted = (name: string) => `"${withoutFormula(name).replaceAll('"', '""')}"`;

// The lines of each chunk, without line ends.
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + decoder.decode(next.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  if (rest !== "") yield [rest];
}

// Whether the file is a recording. The log of a receiver has no header and is not one.
function isRecording({ kind, info }: Facts): boolean {
  return kind === "asi" && info?.formatVersion !== null;
}

// Encodes the rows of tracks and logs as a recording, which is the input of the library's converters.
function recordingOf(facts: Facts, rows: SampleBatch, part: TimeWindow | null): ReadableStream<Uint8Array> {
  const { info } = facts;
  const header = info ?? { serial: serialFrom(facts.fileName), deviceName: "", deviceType: facts.kind };
  return encode(rowsOf(part === null ? rows : rowsIn(rows, part)), header);
}

function rowsIn(rows: SampleBatch, { startMs, stopMs }: TimeWindow): SampleBatch {
  const { timestampMs } = rows;
  return rowsBetween(rows, indexAt(timestampMs, startMs), indexAt(timestampMs, Math.floor(stopMs) + 1));
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

/** Returns a serial number for files that lack one. It consists of the permitted characters of the file name. */
function serialFrom(fileName: string): string {
  const allowed = nameWithoutExtension(fileName).replace(/[^A-Za-z0-9._-]+/g, "-");
  // the prefix avoids reserved names
  return `T${allowed}`.slice(0, LONGEST_SERIAL);
}
