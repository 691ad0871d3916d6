import { fileURLToPath } from "node:url";

/** A service that runs from its sources needs a TypeScript loader, also in its threads. */
const isSource = import.meta.url.endsWith(".ts");

/** Program of a computation thread, and its options of Node.js. */
export const threadProgram = {
  filename: fileURLToPath(new URL(isSource ? "./thread.ts" : "./computation-thread.js", import.meta.url)),
  ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
};
