import { Type } from "@sinclair/typebox";
import { METRICS_VERSION, PRESETS } from "asi-convert/metrics";
import { figureDefinitions } from "asi-convert/squad";
import { type Tool, tool } from "../tool.js";

export const defineFigures: Tool = tool({
  name: "define_figures",
  title: "Definitions of figures",
  description:
    "The meaning of each figure, with its unit, the thresholds of each sport, and the version of the rules.",
  input: Type.Object({}),
  output: { rules_version: "integer", figures: "array", sports: "object" },
  async answer() {
    return {
      rules_version: METRICS_VERSION,
      figures: figureDefinitions(),
      sports: PRESETS,
    };
  },
});
