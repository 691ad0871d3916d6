import { requireOptions } from "../arguments.js";
import { SourceReader } from "../reading/source-reader.js";
import type { EcgBatch, Source } from "../types.js";
import { WAVEFORM_OPTIONS, type WaveformOptions } from "./decode-beats.js";
import { type Decoding, decodingOf, mapDecoding } from "./decoding.js";

// docs/recording-format.md, "Frames"
const ENVELOPE_BYTES = 8;
const ECG_RAW = 0x02a5;
const HEAD_BYTES = 16;

/**
 * Reads the ECG waveform of a recording, exactly as recorded. The source is read only as fast as you iterate. A recording
 * without a waveform yields no batch.
 *
 * @throws AsiError like `decode`
 */
export function decodeEcg(source: Source, options: WaveformOptions = {}): Decoding<EcgBatch> {
  requireOptions(options, WAVEFORM_OPTIONS);
  const { serial, strict, signal, engine } = options;
  // the result contains no rows, so no heart rates need to be derived
  const reader = new SourceReader(source, { serial, strict, signal, engine, hr: "device", output: "frames" });
  return mapDecoding(decodingOf(reader), waveformsIn);
}

async function* waveformsIn(frames: AsyncIterable<Uint8Array>): AsyncGenerator<EcgBatch, void, undefined> {
  for await (const bytes of frames) yield* batchesIn(bytes);
}

interface Piece {
  timeMs: number;
  rateHz: number;
  /** Byte offset of the samples. */
  offset: number;
  count: number;
}

/** Yields the waveform from valid frames. A new batch starts where the sample rate changes. */
function* batchesIn(frames: Uint8Array): Generator<EcgBatch, void, undefined> {
  const view = new DataView(frames.buffer, frames.byteOffset, frames.byteLength);
  let pieces: Piece[] = [];
  for (let at = 0; at < frames.length; at += view.getUint16(at + 4, true) + ENVELOPE_BYTES) {
    const piece = pieceAt(view, at);
    if (piece === null) continue;
    const [first] = pieces;
    if (first !== undefined && first.rateHz !== piece.rateHz) {
      yield batchOf(view, pieces);
      pieces = [];
    }
    pieces.push(piece);
  }
  if (pieces.length > 0) yield batchOf(view, pieces);
}

function pieceAt(view: DataView, at: number): Piece | null {
  const length = view.getUint16(at + 4, true);
  if (view.getUint16(at + 2, true) !== ECG_RAW || length < HEAD_BYTES) return null;
  const payload = at + 6;
  const count = view.getUint16(payload + 12, true);
  if (count === 0 || length !== HEAD_BYTES + 2 * count) return null;
  const timeMs = view.getUint32(payload, true) + view.getUint32(payload + 4, true) * 2 ** 32;
  return { timeMs, rateHz: view.getUint16(payload + 8, true), offset: payload + HEAD_BYTES, count };
}

function batchOf(view: DataView, pieces: readonly Piece[]): EcgBatch {
  const length = pieces.reduce((sum, { count }) => sum + count, 0);
  const sampleRateHz = pieces[0]?.rateHz ?? 0;
  const batch = {
    length,
    sampleRateHz,
    timestampMs: new Float64Array(length),
    sample: new Int16Array(length),
  };
  let index = 0;
  for (const { timeMs, offset, count } of pieces) {
    for (let i = 0; i < count; i++) {
      // without a sample rate, only the time of the first sample is known
      batch.timestampMs[index] = sampleRateHz === 0 ? timeMs : timeMs + (i * 1000) / sampleRateHz;
      batch.sample[index] = view.getInt16(offset + 2 * i, true);
      index += 1;
    }
  }
  return batch;
}
