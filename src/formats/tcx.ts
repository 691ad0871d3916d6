import { rowTemplate } from "../row-text/template.js";
import { bufferedFormat } from "./buffered-format.js";
import type { RowBuffer } from "./row-buffer.js";

const ROW = rowTemplate([
  "<Trackpoint><Time>",
  { field: "isoTime" },
  "</Time><Position><LatitudeDegrees>",
  { field: "latitude" },
  "</LatitudeDegrees><LongitudeDegrees>",
  { field: "longitudeBelow180" },
  "</LongitudeDegrees></Position>",
  { where: "altitude", given: ["<AltitudeMeters>", { field: "altitude" }, "</AltitudeMeters>"] },
  { where: "hr", given: ["<HeartRateBpm><Value>", { field: "hr" }, "</Value></HeartRateBpm>"] },
  // without a namespace prefix: some readers ignore prefixed elements
  '<Extensions><TPX xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Speed>',
  { field: "speed" },
  "</Speed></TPX></Extensions></Trackpoint>\n",
]);

/**
 * TCX, version 2: one activity with a lap for each range. A lap starts with its totals: the time from its earliest row to its
 * latest, the distance (sum of speed times time) and the maximum speed. Longitudes must be less than 180 degrees.
 */
export const openTcx = bufferedFormat({
  before: `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
<Activities><Activity Sport="Other">
`,
  range: { before: "", after: "</Track></Lap>\n" },
  *part(rows, write, isFirst) {
    const { startMs, stopMs, distanceM, maxSpeed } = totalsOf(rows);
    const start = new Date(startMs).toISOString();
    if (isFirst) yield `<Id>${start}</Id>\n`;
    yield `<Lap StartTime="${start}"><TotalTimeSeconds>${thousandths(stopMs - startMs)}</TotalTimeSeconds><DistanceMeters>${distanceM.toFixed(3)}</DistanceMeters><MaximumSpeed>${thousandths(maxSpeed)}</MaximumSpeed><Calories>0</Calories><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod><Track>
`;
    yield* write(ROW);
  },
  after: "</Activity></Activities>\n</TrainingCenterDatabase>\n",
});

function totalsOf(rows: RowBuffer) {
  let startMs = Number.POSITIVE_INFINITY;
  let stopMs = Number.NEGATIVE_INFINITY;
  let maxSpeed = 0;
  // mm/s times ms
  let micrometres = 0;
  let previousMs = Number.NaN;
  for (const { batch, length } of rows.batches()) {
    for (let i = 0; i < length; i++) {
      const ms = batch.timestampMs[i] as number;
      const speed = batch.speedMmPerS[i] as number;
      startMs = Math.min(startMs, ms);
      stopMs = Math.max(stopMs, ms);
      maxSpeed = Math.max(maxSpeed, speed);
      // no distance for the first row, nor where time goes backwards
      if (ms > previousMs) micrometres += speed * (ms - previousMs);
      previousMs = ms;
    }
  }
  return { startMs, stopMs, maxSpeed, distanceM: micrometres / 1e6 };
}

function thousandths(value: number): string {
  return (value / 1000).toFixed(3);
}
