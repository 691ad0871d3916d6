import type { SampleBatch } from "../../types.js";
import type { RowWriter, TextOfRows } from "./row-writer.js";
import { Condition, type Instruction, type RowTemplate } from "./template.js";

/** Maximum number of rows per call. Their text is kept in memory. */
const MAX_ROWS = 1024;

/** Writes rows as text in TypeScript, for platforms without WebAssembly. Its output is identical to that of the core. */
export class PlainRowWriter implements RowWriter {
  write(template: RowTemplate, batch: SampleBatch, from: number, to: number): TextOfRows {
    const end = Math.min(to, from + MAX_ROWS);
    let text = "";
    for (let row = from; row < end; row++) text += textOf(template, batch, row);
    return { bytes: utf8.encode(text), end };
  }
}

const utf8 = new TextEncoder();

function textOf({ instructions, utcOffsetMs }: RowTemplate, batch: SampleBatch, row: number): string {
  const unmet =
    (batch.fixType[row] === 2 ? Condition.withAltitude : Condition.withoutAltitude) |
    (batch.hr[row] === 0 ? Condition.withHr : Condition.withoutHr);
  let text = "";
  for (const instruction of instructions) {
    if ((instruction.conditions & unmet) !== 0) continue;
    text += instruction.text;
    if ((instruction.fieldConditions & unmet) === 0) text += fieldOf(instruction, batch, row, utcOffsetMs);
  }
  return text;
}

function fieldOf(
  { field, decimalMark }: Instruction,
  batch: SampleBatch,
  row: number,
  utcOffsetMs: number,
): string {
  const ms = batch.timestampMs[row] ?? 0;
  const longitudeE7 = batch.longitudeE7[row] ?? 0;
  switch (field) {
    case null:
      return "";
    case "seconds":
      return decimal(ms, 3, decimalMark);
    case "milliseconds":
      return String(ms);
    case "isoTime":
      return new Date(ms).toISOString();
    case "localTime":
      return new Date(ms + utcOffsetMs).toISOString().slice(0, -1);
    case "spreadsheetTime":
      return new Date(ms + utcOffsetMs)
        .toISOString()
        .slice(0, -1)
        .replace("T", " ")
        .replace(".", decimalMark);
    case "latitude":
      return decimal(batch.latitudeE7[row] ?? 0, 7, decimalMark);
    case "longitude":
      return decimal(longitudeE7, 7, decimalMark);
    case "longitudeBelow180":
      return decimal(longitudeE7 === 180e7 ? -180e7 : longitudeE7, 7, decimalMark);
    case "altitude":
      return decimal(batch.altitudeMm[row] ?? 0, 3, decimalMark);
    case "speed":
      return decimal(batch.speedMmPerS[row] ?? 0, 3, decimalMark);
    case "hr":
      return String(batch.hr[row] ?? 0);
  }
}

/** Formats an integer with its decimal point moved `decimals` places to the left. For example, decimal(-500, 3, ".") is
 * "-0.500". */
function decimal(value: number, decimals: number, mark: string): string {
  const digits = String(Math.abs(value)).padStart(decimals + 1, "0");
  const sign = value < 0 ? "-" : "";
  return `${sign}${digits.slice(0, -decimals)}${mark}${digits.slice(-decimals)}`;
}
