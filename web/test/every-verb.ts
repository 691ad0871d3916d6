import {
  convert,
  convertSync,
  decode,
  decodeBeats,
  decodeEcg,
  decodeRows,
  decodeTrack,
  encode,
  FORMAT_NAMES,
  findRanges,
  inspect,
  repair,
} from "asi-convert";
import { computeMetrics } from "asi-convert/metrics";
import { packSamples, toBase64, unpackSamples } from "asi-convert/packed";

// Calls all functions of the library that need no file system. It runs in Node.js, and as a bundle in a browser.

/** Returns a recording converted to every format, in base64. */
export async function everyFormat(recording: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const format of FORMAT_NAMES) {
    const { body } = convert(new Blob([bytesOf(recording)]), { format });
    files[format] = toBase64(await whole(body));
  }
  return files;
}

/** Returns the results of every other function for a recording with an ECG waveform, as JSON. */
export async function everyVerb(recording: string): Promise<string> {
  const bytes = bytesOf(recording);
  const batches = await all(decode(bytes));
  const rows = await all(decodeRows(bytes));
  const tracks = await Promise.all(
    (["gpx", "tcx", "fit"] as const).map(async (format) => {
      const track = decodeTrack(convert(bytes, { format }).body);
      return { batches: await all(track), summary: await track.summary };
    }),
  );
  const { info } = await inspect(bytes);
  return JSON.stringify({
    inspection: await inspect(bytes),
    csv: toBase64(convertSync(bytes).csv),
    rows,
    ranges: findRanges(rows.map(({ timestamp }) => timestamp)),
    beats: await all(decodeBeats(bytes)),
    ecg: await all(decodeEcg(bytes)),
    tracks,
    repaired: toBase64(await whole(repair(bytes).recording)),
    encoded: toBase64(await whole(encode(rows, info))),
    metrics: computeMetrics(batches),
    unpacked: unpackSamples(packSamples(batches)),
  });
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function whole(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
