// Builds after `npm ci`. It is a script of the page, which is never published. A script of the library would also be in the
// published package, and npm would warn all users who install it.
import { buildAll, hasTools } from "./build.mjs";

// Without development dependencies, there are no build tools.
if (hasTools()) process.exitCode = (await buildAll()) ? 0 : 1;
