import { fileURLToPath } from "node:url";

/** A service that runs from its sources needs a TypeScript loader, also in its threads. */
const isSource = import.meta.url.endsWith(".ts");

/** What a computation thread runs, and the options of Node.js for it. */
export const threadProgram = {
  filename: fileURLToPath(new URL(isSource ? "./thread.ts" : "./computation-thread.js", import.meta.url)),
  ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
};
