import { requireOptions } from "../arguments.js";
import { DECODE_OPTIONS } from "../reading/decode-options.js";
import { type Inspection, inspectionOf } from "../reading/read-result.js";
import { readWhole } from "../reading/read-whole.js";
import { SourceReader } from "../reading/source-reader.js";
import type { DecodeOptions, Source } from "../types.js";

/**
 * Reads a whole recording and describes its content, without returning rows.
 *
 * @throws AsiError like `decode`; a recording without rows is not an error here
 */
export async function inspect(source: Source, options: DecodeOptions = {}): Promise<Inspection> {
  requireOptions(options, DECODE_OPTIONS);
  const reader = new SourceReader(source, { ...options, output: "none" });
  await reader.next();
  return inspectionOf(await reader.result);
}

/**
 * Works like `inspect`, but synchronously, for bytes in memory.
 *
 * @throws AsiError `BAD_SOURCE`, and like `inspect`
 */
export function inspectSync(recording: Uint8Array | ArrayBuffer, options: DecodeOptions = {}): Inspection {
  requireOptions(options, DECODE_OPTIONS);
  return inspectionOf(readWhole(recording, options, "none").result);
}
