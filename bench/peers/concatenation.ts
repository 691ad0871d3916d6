import type { CsvPeer } from "./peer.js";
import { fieldsOf, readRows } from "./rows.js";

/** The text is encoded when it has this length, and a new one begins. A single string for the whole file takes three times as long. */
const PIECE_CHARACTERS = 64 * 1024;

/** Reads with DataView, and builds the CSV by string concatenation. The text is encoded in pieces. */
export const concatenation: CsvPeer = (recording, sink) => {
  const encoder = new TextEncoder();
  let csv = "timestamp,latitude,longitude,altitude,speed,hr\n";
  for (const row of readRows(recording)) {
    const [timestamp, latitude, longitude, altitude, speed, hr] = fieldsOf(row);
    csv += `${timestamp},${latitude},${longitude},${altitude},${speed},${hr}\n`;
    if (csv.length > PIECE_CHARACTERS) {
      sink(encoder.encode(csv));
      csv = "";
    }
  }
  if (csv.length > 0) sink(encoder.encode(csv));
};
