import { LocalRows } from "../rows/row-text/local-rows.js";
import { rowTemplate, type TemplatePart } from "../rows/row-text/template.js";
import type { CheckedTimes } from "../rows/time-layout.js";
import type { OpenFormat } from "./format.js";
import { textFormat } from "./text-format.js";

/** Returns the JSON lines format: an object for each row, whose keys are the column names of the CSV. */
export function jsonlFormat({ time, zone }: CheckedTimes): OpenFormat {
  switch (time) {
    case "unix":
      return textFormat({ row: rowTemplate(rowWith([{ field: "seconds" }])) });
    case "local":
      return textFormat({
        row: new LocalRows(zone, (offset) => rowWith(['"', { field: "localTime" }, `${offset}"`])),
      });
    default:
      return textFormat({ row: rowTemplate(rowWith(['"', { field: "isoTime" }, '"'])) });
  }
}

const rowWith = (timestamp: readonly TemplatePart[]) => ["{", ...membersWith(timestamp)];

/** Returns the template parts for the members of an object. */
export function membersWith(timestamp: readonly TemplatePart[]): readonly TemplatePart[] {
  return [
    '"timestamp":',
    ...timestamp,
    ',"latitude":',
    { field: "latitude" },
    ',"longitude":',
    { field: "longitude" },
    ',"altitude":',
    { where: "altitude", given: [{ field: "altitude" }], missing: ["null"] },
    ',"speed":',
    { field: "speed" },
    ',"hr":',
    { where: "hr", given: [{ field: "hr" }], missing: ["null"] },
    "}\n",
  ];
}
