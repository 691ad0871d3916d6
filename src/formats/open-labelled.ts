import { checkLayout, headerText } from "../rows/csv-layout.js";
import { csvField } from "../rows/csv-text.js";
import type { RowWriter } from "../rows/row-text/row-writer.js";
import { type RowTemplate, rowTemplate } from "../rows/row-text/template.js";
import { partsOf } from "./csv.js";
import { membersWith } from "./jsonl.js";
import type { LabelledFormatName, LabelledText, LabelledWriter, Labels } from "./labelled-rows.js";
import { ParquetWriter } from "./parquet/parquet-writer.js";
import { rowTable } from "./parquet/row-table.js";
import { encodeText, rowPieces } from "./text-format.js";

export function openLabelled(
  format: LabelledFormatName,
  labels: Labels,
  rowWriter: RowWriter,
): LabelledWriter {
  switch (format) {
    case "csv":
      return textWriter(labelledCsv(labels.names), rowWriter);
    case "jsonl":
      return textWriter(labelledJsonl(labels.names), rowWriter);
    case "parquet":
      return labelledParquet(labels);
  }
}

/** Returns the standard CSV format with text columns before the others. */
function labelledCsv(names: readonly string[]): LabelledText {
  const layout = checkLayout({});
  const { delimiter, decimalMark } = layout;
  const before = (fields: readonly string[]) =>
    fields.map((text) => csvField(text, delimiter) + delimiter).join("");
  const row = partsOf(layout, [{ field: "seconds", decimalMark }]);
  return {
    header: before(names) + headerText(layout),
    row: (labels) => rowTemplate([before(labels), ...row]),
  };
}

/** Returns the format of JSON lines with text members before the others. */
const labelledJsonl = (names: readonly string[]): LabelledText => ({
  header: "",
  row: (labels) =>
    rowTemplate([
      "{",
      ...labels.map((text, i) => `${JSON.stringify(names[i])}:${JSON.stringify(text)},`),
      ...membersWith(['"', { field: "isoTime" }, '"']),
    ]),
});

/** Creates a writer for Parquet with text columns before the others. Each group of rows is a row group in the file. */
function labelledParquet({ schema, names }: Labels): LabelledWriter {
  const writer = new ParquetWriter({ ...rowTable("double"), schema }, names);
  return {
    startGroup: (labels) => writer.startGroup(labels),
    rows: (batch, from, to) => writer.rows(batch, from, to),
    end: () => writer.end({}),
  };
}

function textWriter({ header, row }: LabelledText, rowWriter: RowWriter): LabelledWriter {
  let template: RowTemplate | null = null;
  let pending = header;
  const begin = () => {
    const begun = encodeText(pending);
    pending = "";
    return [begun];
  };
  return {
    startGroup(labels) {
      template = row(labels);
      return begin();
    },
    *rows(batch, from, to) {
      if (template !== null) yield* rowPieces({ rowWriter }, template, batch, from, to);
    },
    end: begin,
  };
}
