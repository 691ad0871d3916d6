import { once } from "node:events";
import { format } from "fast-csv";
import type { CsvPeer } from "./peer.js";
import { fieldsOf, readRows } from "./rows.js";

/** The same reader and the same texts, made into CSV by fast-csv's formatting stream. */
export const fastCsv: CsvPeer = async (recording, sink) => {
  const stream = format<string[], string[]>({
    headers: ["timestamp", "latitude", "longitude", "altitude", "speed", "hr"],
    includeEndRowDelimiter: true,
  });
  // The stream yields a piece per row: `data` events take half the time of asynchronous iteration.
  stream.on("data", sink);
  for (const row of readRows(recording)) {
    if (!stream.write(fieldsOf(row))) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "end");
};
