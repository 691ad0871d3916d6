import type { RecordingInfo, Report } from "../../types.js";

/** Returns the key-value metadata of a file: the device and, for a recording, the report. */
export function fileMetadata(info: RecordingInfo, report: Report | null): Record<string, string> {
  const device = { serial: info.serial, device: JSON.stringify(info) };
  if (report === null) return device;
  const { bytes, frames, damage, rows, gnssWithoutRow, start, end } = report;
  return {
    ...device,
    // the ranges are omitted, because their list can be as long as the recording, and can be computed from the rows
    report: JSON.stringify({ bytes, frames, damage, rows, gnssWithoutRow, start, end }),
  };
}
