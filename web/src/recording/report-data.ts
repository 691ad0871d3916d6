import type { Inspection } from "asi-convert";
import type { ParameterOverrides, PresetName } from "asi-convert/metrics";

/** The data in a report (docs/report-file.md). */
export interface ReportData {
  version: 1;
  /** File name of the recording without its folder. */
  name: string;
  inspection: Inspection;
  metrics: { preset: PresetName; params: ParameterOverrides };
  /** Packed rows, base64. */
  samples: string;
}

/** Reads the data of a report. Returns an error message if that fails. */
export function readReportData(json: string | null): ReportData | string {
  if (json === null) return "This report contains no recording. Write it again with: asi report";
  const data = JSON.parse(json) as ReportData | { version: unknown };
  if (data.version !== 1) {
    return `This report has data of version ${String(data.version)}, which this viewer does not know. Write it again with: asi report`;
  }
  return data as ReportData;
}
