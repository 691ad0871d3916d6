import { once } from "node:events";
import { format } from "fast-csv";
import type { CsvPeer, Sink } from "./peer.js";
import { fieldsOf, readRows } from "./rows.js";

/** Uses the same reader and texts, but formats them as CSV with the stream of fast-csv. */
export const fastCsv = fastCsvWith(",");
export const fastCsvLayout = fastCsvWith(";");

function fastCsvWith(delimiter: string): CsvPeer {
  return (recording, sink) => write(recording, sink, delimiter);
}

async function write(recording: Uint8Array, sink: Sink, delimiter: string): Promise<void> {
  const stream = format<string[], string[]>({
    delimiter,
    headers: ["timestamp", "latitude", "longitude", "altitude", "speed", "hr"],
    includeEndRowDelimiter: true,
  });
  // The stream emits one piece per row. Using `data` events takes half the time of asynchronous iteration.
  stream.on("data", sink);
  for (const row of readRows(recording)) {
    if (!stream.write(fieldsOf(row))) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "end");
}
