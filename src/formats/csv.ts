import { type CheckedLayout, type Column, headerText } from "../csv-layout.js";
import { type DecimalMark, rowTemplate, type TemplatePart } from "../row-text/template.js";
import type { OpenFormat } from "./format.js";
import { textFormat } from "./text-format.js";

/** CSV in any layout. No field contains a delimiter, a quote or a line end, so no field needs quotes. */
export function csvFormat(layout: CheckedLayout): OpenFormat {
  const { columns, delimiter, decimalMark, lineEnd } = layout;
  const fields = columns.flatMap((column, i) => [i === 0 ? "" : delimiter, fieldOf(column, decimalMark)]);
  return textFormat({ before: headerText(layout), row: rowTemplate([...fields, lineEnd]) });
}

function fieldOf(column: Column, decimalMark: DecimalMark): TemplatePart {
  switch (column) {
    case "timestamp":
      return { field: "seconds", decimalMark };
    case "altitude":
    case "hr":
      return { where: column, given: [{ field: column, decimalMark }] };
    default:
      return { field: column, decimalMark };
  }
}
