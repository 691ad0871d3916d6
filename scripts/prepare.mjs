// Builds after `npm ci`. It is a script of the page, which is never published: one of the library would be in the published package too,
// and npm would warn everybody who installs that.
import { buildAll, hasTools } from "./build.mjs";

// Without development dependencies there is nothing to build with.
if (hasTools()) process.exitCode = (await buildAll()) ? 0 : 1;
