import type { Attack } from "./attack.js";
import { bodies } from "./bodies.js";
import { connections } from "./connections.js";
import { crowds } from "./crowds.js";
import { dense } from "./dense.js";
import { histories } from "./histories.js";
import { mcp } from "./mcp.js";
import { passwords } from "./passwords.js";
import { reading } from "./reading.js";
import { squads } from "./squads.js";
import { streams } from "./streams.js";
import { webSockets } from "./web-sockets.js";
import { work } from "./work.js";

/** All attacks, in the order in which they run. */
export const attacks: readonly Attack[] = [
  ...bodies,
  ...connections,
  ...passwords,
  ...reading,
  ...crowds,
  ...histories,
  ...work,
  ...dense,
  ...streams,
  ...webSockets,
  ...squads,
  ...mcp,
];
