import type { Tool } from "../tool.js";
import { defineFigures } from "./definitions.js";
import { deviceRanges, deviceSamples, listDevices } from "./devices.js";
import { comparePlayers, compareSessions, sessionFigures } from "./figures.js";
import { listSessions, listSquads } from "./listing.js";
import { squadSeason } from "./season.js";

/** All tools, in the order in which clients usually call them. They only read. */
export const TOOLS: readonly Tool[] = [
  listSquads,
  listSessions,
  sessionFigures,
  squadSeason,
  comparePlayers,
  compareSessions,
  listDevices,
  deviceRanges,
  deviceSamples,
  defineFigures,
];
