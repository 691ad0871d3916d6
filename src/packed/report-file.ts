import type { ParameterOverrides } from "../metrics/parameters.js";
import type { PresetName } from "../metrics/presets.js";
import type { Inspection } from "../reading/read-result.js";

/** The data that a report adds to the viewer (docs/report-file.md). */
export interface ReportData {
  version: 1;
  /** File name of the recording, without its folder. */
  name: string;
  inspection: Inspection;
  /** Options for `computeMetrics`. */
  metrics: { preset: PresetName; params: ParameterOverrides };
  /** The packed rows as base64. */
  samples: string;
}

const PLACE = "<!-- asi-recording -->";

/**
 * Inserts a recording into the viewer.
 *
 * @param template HTML with one `asi-recording` comment
 */
export function reportHtml(template: string, data: ReportData): string {
  const [before, after, ...more] = template.split(PLACE);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`The template must contain ${PLACE} once.`);
  }
  return `${before}<script type="application/json" id="asi-recording">${jsonInHtml(data)}</script>${after}`;
}

/** Formats JSON in ASCII, without characters that are special in HTML. */
function jsonInHtml(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&]|[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
