import { comparedFigure } from "../compared.js";
import { FIGURES, figureFlags, listedFigures, qualityOf, sourceOf, statsLine } from "../recording-answer.js";
import { input, texts } from "../schema.js";
import type { Tool } from "../tool.js";

const { recipes: _, ...OPTIONS } = FIGURES;

/** Compares the figures of several recordings. */
export const compareRecordings: Tool = {
  name: "compare_recordings",
  title: "Compare recordings",
  description:
    "Compares the figures of two to six recordings with the same definitions, each with its quality. Differences are relative to the first recording. Times of day apply to the day of each recording.",
  inputSchema: input({ files: texts("recordings from list_recordings", [2, 6]), ...OPTIONS }, ["files"]),
  output: { sources: "array", figures: "array", quality: "array", notices: "array" },
  async answer(given, surroundings) {
    const found: Awaited<ReturnType<typeof statsLine>>[] = [];
    for (const name of given.files as readonly string[])
      found.push(await statsLine(name, figureFlags(given), surroundings));
    const listed = found.map(({ line }) => listedFigures(line));
    return {
      sources: found.map(({ file, line }) => sourceOf(file, line)),
      figures: (listed[0] ?? []).map((figure, i) =>
        comparedFigure(
          figure,
          listed.map((figures) => figures[i]?.value ?? null),
        ),
      ),
      quality: found.map(({ line }) => qualityOf(line)),
      notices: found.flatMap(({ notices }) => notices),
    };
  },
};
