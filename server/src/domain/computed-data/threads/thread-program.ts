import { fileURLToPath } from "node:url";

/** A service that runs from source also needs a TypeScript loader in its threads. */
const isSource = import.meta.url.endsWith(".ts");

/** Program of a computation thread and its Node.js options. */
export const threadProgram = {
  filename: fileURLToPath(new URL(isSource ? "./thread.ts" : "./computation-thread.js", import.meta.url)),
  ...(isSource ? { execArgv: ["--import", "tsx"] } : {}),
};
