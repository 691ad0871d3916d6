import { requireObject } from "../arguments.js";
import type { OutputKind } from "../engine/engine.js";
import { abortError } from "../errors.js";
import { bytesInMemory } from "../sources/source.js";
import type { ColumnsOptions } from "../types.js";
import { checkSignal } from "./decode-options.js";
import type { ReadResult } from "./read-result.js";
import { type Outputs, readerOptionsIn } from "./reader-options.js";
import { RecordingReader } from "./recording-reader.js";

/**
 * Reads a recording in memory to its end, synchronously. A signal has an effect only if it has fired before the call.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE`, `ABORTED`, and like `RecordingReader`
 */
export function readWhole<K extends OutputKind>(
  recording: Uint8Array | ArrayBuffer,
  options: ColumnsOptions,
  output: K,
): { outputs: Outputs[K][]; result: ReadResult } {
  requireObject("options", options);
  checkSignal(options.signal);
  const reader = new RecordingReader(readerOptionsIn({ ...options, output }));
  const bytes = bytesInMemory(recording);
  if (options.signal?.aborted === true) throw abortError(options.signal);
  try {
    const outputs = reader.push(bytes);
    for (const last of reader.finish()) outputs.push(last);
    return { outputs, result: reader.result };
  } finally {
    reader.close();
  }
}
