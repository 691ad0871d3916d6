import type { Tool } from "../tool.js";
import { comparePlayers } from "./compare-players.js";
import { compareRecordings } from "./compare-recordings.js";
import { defineFigures, listRecipes } from "./definitions.js";
import { listRecordings } from "./list-recordings.js";
import { recipeSensitivity } from "./recipe-sensitivity.js";
import { recordingFigures } from "./recording-figures.js";
import { recordingRows } from "./recording-rows.js";
import { squadTable } from "./squad-table.js";

/** All tools, in the order in which they are typically used. */
export const TOOLS: readonly Tool[] = [
  listRecordings,
  recordingFigures,
  recordingRows,
  squadTable,
  compareRecordings,
  comparePlayers,
  defineFigures,
  listRecipes,
  recipeSensitivity,
];
