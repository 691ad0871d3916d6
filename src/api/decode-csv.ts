import { optionNames, requireOptions } from "../arguments.js";
import type { EncodableRow } from "../recording/encode.js";
import { encodeRows } from "../recording/encode.js";
import { checkDelimiter } from "../rows/csv-layout.js";
import { TimeZone } from "../rows/time-zone.js";
import { type ChunkReader, readChunks } from "../sources/source.js";
import { csvFields } from "../tracks/csv-fields.js";
import { CsvTrack, type CsvTrackOptions, DELIMITER_BYTES, delimiterIn } from "../tracks/csv-track.js";
import { ContinuedSource, readFirstBytes } from "../tracks/first-bytes.js";
import type { SampleBatch, Source } from "../types.js";
import { decode } from "./decode.js";

export type DecodeCsvOptions = CsvTrackOptions;

const OPTIONS = optionNames<DecodeCsvOptions>({ delimiter: true, timeZone: true });

/**
 * Reads a CSV as columns of integers. It accepts the output of `convert` with any options except `header: false`; `encodeCsv` of
 * `asi-convert/node` describes the format. The source is read only as fast as you iterate.
 *
 * @throws AsiError `BAD_OPTION`, `BAD_SOURCE` immediately; while iterating `BAD_CSV` and `BAD_ROW` with the line
 */
export function decodeCsv(source: Source, options: DecodeCsvOptions = {}): AsyncIterable<SampleBatch> {
  requireOptions(options, OPTIONS);
  const { delimiter, timeZone = "UTC" } = options;
  if (delimiter !== undefined) checkDelimiter(delimiter);
  return batchesIn(readChunks(source), delimiter, new TimeZone(timeZone));
}

async function* batchesIn(
  chunks: ChunkReader,
  given: string | undefined,
  zone: TimeZone,
): AsyncGenerator<SampleBatch, void, undefined> {
  try {
    const first = await readFirstBytes(chunks, DELIMITER_BYTES);
    const delimiter = given ?? delimiterIn(first);
    const track = new CsvTrack(delimiter, zone);
    const rows = rowsIn(new ContinuedSource(first, chunks), delimiter, track);
    // this encodes the rows and decodes them again, so that it refuses the same rows as `encodeCsv`
    const recording = encodeRows(rows, { serial: "CSV" }, () => ({
      name: `Line ${track.line}`,
      line: track.line,
    }));
    yield* decode(recording);
  } finally {
    await chunks.close();
  }
}

async function* rowsIn(
  chunks: ChunkReader,
  delimiter: string,
  track: CsvTrack,
): AsyncGenerator<EncodableRow, void, undefined> {
  for await (const fields of csvFields(chunks, delimiter)) {
    const row = track.read(fields);
    if (row !== null) yield row;
  }
  track.end();
}
