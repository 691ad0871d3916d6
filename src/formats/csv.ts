import { type CheckedLayout, type Column, headerText } from "../rows/csv-layout.js";
import { LocalRows } from "../rows/row-text/local-rows.js";
import { type DecimalMark, rowTemplate, type TemplatePart } from "../rows/row-text/template.js";
import type { OpenFormat } from "./format.js";
import { textFormat } from "./text-format.js";

/** Returns the CSV format for any layout. No field contains a delimiter, a quote or a line end, so no field needs quotes. */
export function csvFormat(layout: CheckedLayout): OpenFormat {
  const { decimalMark, zone } = layout;
  const rowWith = (timestamp: readonly TemplatePart[]) => partsOf(layout, timestamp);
  return textFormat({ before: headerText(layout), row: rowsOf() });

  function rowsOf() {
    switch (layout.time) {
      case "unix":
        return rowTemplate(rowWith([{ field: "seconds", decimalMark }]));
      case "iso":
        return rowTemplate(rowWith([{ field: "isoTime" }]));
      case "local":
        return new LocalRows(zone, (offset) => rowWith([{ field: "localTime" }, offset]));
      case "excel":
        return new LocalRows(zone, () => rowWith([{ field: "spreadsheetTime", decimalMark }]));
    }
  }
}

/** Returns the template parts for a row. */
export function partsOf(layout: CheckedLayout, timestamp: readonly TemplatePart[]): TemplatePart[] {
  const { columns, delimiter, decimalMark, lineEnd } = layout;
  return [
    ...columns.flatMap((column, i) => [
      i === 0 ? "" : delimiter,
      ...(column === "timestamp" ? timestamp : [fieldOf(column, decimalMark)]),
    ]),
    lineEnd,
  ];
}

function fieldOf(column: Exclude<Column, "timestamp">, decimalMark: DecimalMark): TemplatePart {
  switch (column) {
    case "altitude":
    case "hr":
      return { where: column, given: [{ field: column, decimalMark }] };
    default:
      return { field: column, decimalMark };
  }
}
