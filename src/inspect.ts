import { requireObject } from "./arguments.js";
import { type Inspection, inspectionOf } from "./read-result.js";
import { readWhole } from "./read-whole.js";
import { SourceReader } from "./source-reader.js";
import type { DecodeOptions, Source } from "./types.js";

/**
 * Reads a recording through and says what is in it, without handing out rows.
 *
 * @throws AsiError as `decode`; a recording without rows is no error here
 */
export async function inspect(source: Source, options: DecodeOptions = {}): Promise<Inspection> {
  requireObject("options", options);
  const reader = new SourceReader(source, { ...options, output: "none" });
  await reader.next();
  return inspectionOf(await reader.result);
}

/**
 * The same at once, of bytes in memory.
 *
 * @throws AsiError `BAD_SOURCE`, and as `inspect`
 */
export function inspectSync(recording: Uint8Array | ArrayBuffer, options: DecodeOptions = {}): Inspection {
  return inspectionOf(readWhole(recording, options, "none").result);
}
