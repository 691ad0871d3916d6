import type { RowWriter } from "../rows/row-text/row-writer.js";
import type { RowTemplate } from "../rows/row-text/template.js";
import type { LabelledFormatName, LabelledText, LabelledWriter, Labels } from "./labelled-rows.js";
import { encodeText, rowPieces } from "./text-format.js";

export async function openLabelled(
  format: LabelledFormatName,
  labels: Labels,
  rowWriter: RowWriter,
): Promise<LabelledWriter> {
  switch (format) {
    case "csv":
      return textWriter((await import("./csv.js")).labelledCsv(labels.names), rowWriter);
    case "jsonl":
      return textWriter((await import("./jsonl.js")).labelledJsonl(labels.names), rowWriter);
    case "parquet":
      return (await import("./parquet.js")).labelledParquet(labels);
  }
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
