import type { RecordingInfo, Report } from "../../types.js";

/** Key-value metadata of a file: the device, and the report on the recording. */
export function fileMetadata(info: RecordingInfo, report: Report): Record<string, string> {
  const { bytes, frames, damage, rows, gnssWithoutRow, start, end } = report;
  return {
    serial: info.serial,
    device: JSON.stringify(info),
    // without the ranges: the list can be as long as the recording, and can be computed from the rows
    report: JSON.stringify({ bytes, frames, damage, rows, gnssWithoutRow, start, end }),
  };
}
