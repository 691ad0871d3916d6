import { rowTemplate } from "../rows/row-text/template.js";
import { bufferedFormat } from "./buffered-format.js";
import { CountedTime } from "./counted-time.js";
import type { OpenFormat } from "./format.js";
import type { RowBuffer } from "./row-buffer.js";
import { Totals } from "./totals.js";

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
  // these elements have no namespace prefix, because some readers ignore prefixed elements
  '<Extensions><TPX xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Speed>',
  { field: "speed" },
  "</Speed></TPX></Extensions></Trackpoint>\n",
]);

/**
 * Creates a writer for TCX, version 2: one activity with a lap for each range. A lap starts with its totals: duration, distance
 * and maximum speed. Longitudes must be less than 180 degrees.
 */
export const openTcx: OpenFormat = (context) => {
  const counted = new CountedTime();
  return bufferedFormat({
    before: `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
<Activities><Activity Sport="Other">
`,
    range: { before: "", after: "</Track></Lap>\n" },
    hasTotals: true,
    *part({ recorded, write, isFirst }) {
      const { startMs, timerMs, distanceM, maxSpeedMmPerS } = totalsOf(recorded, counted);
      const start = new Date(startMs ?? 0).toISOString();
      if (isFirst) yield `<Id>${start}</Id>\n`;
      yield `<Lap StartTime="${start}"><TotalTimeSeconds>${thousandths(timerMs)}</TotalTimeSeconds><DistanceMeters>${distanceM.toFixed(3)}</DistanceMeters><MaximumSpeed>${thousandths(maxSpeedMmPerS)}</MaximumSpeed><Calories>0</Calories><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod><Track>
`;
      yield* write(ROW);
    },
    after: "</Activity></Activities>\n</TrainingCenterDatabase>\n",
  })(context);
};

function totalsOf(rows: RowBuffer, counted: CountedTime): Totals {
  const totals = new Totals(rows.gapsAfter(), counted);
  for (const { batch, length } of rows.batches()) totals.addRows(batch, 0, length);
  return totals;
}

function thousandths(value: number): string {
  return (value / 1000).toFixed(3);
}
