import { FIGURES, figureFlags, listedFigures, qualityOf, sourceOf, statsLine } from "../recording-answer.js";
import { input, text } from "../schema.js";
import type { Tool } from "../tool.js";

/** Returns the figures of a recording from `asi stats`. */
export const recordingFigures: Tool = {
  name: "recording_figures",
  title: "Figures of a recording",
  description:
    "Returns distance, speeds, sprints, accelerations and heart rates of a recording or of an interval in it, each with value, unit and definition; also returns speed zones, heart-rate zones (with max_hr), the quality of the data, the source and the version of the rules. A value is null if it is unknown.",
  inputSchema: input({ file: text("a recording from list_recordings"), ...FIGURES }, ["file"]),
  output: { source: "object", figures: "array", quality: "object", notices: "array" },
  async answer(given, surroundings) {
    const { file, line, notices } = await statsLine(String(given.file), figureFlags(given), surroundings);
    const { metrics, figures } = line;
    return {
      source: sourceOf(file, line),
      figures: listedFigures(line),
      speed_zones: metrics.distance_per_speed_ranges.map((zone, i) => ({
        from_m_per_s: zone.threshold_low,
        to_m_per_s: zone.threshold_high,
        distance_m: zone.distance,
        duration_s: metrics.time_per_speed_ranges[i]?.duration ?? null,
      })),
      heart_rate_zones: metrics.timePerHrZone,
      ...(figures?.recipes !== undefined && {
        recipes: figures.recipes.map(({ name, title, source, hash, count, distance, duration, dropped }) => ({
          ...{ name, title, source, hash, count, distance_m: distance, duration_s: duration, dropped },
        })),
      }),
      quality: qualityOf(line),
      notices,
    };
  },
};
