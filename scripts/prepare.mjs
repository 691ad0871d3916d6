// Builds after `npm ci`. It is a script of the page, which is never published. As a script of the library, it would be in the
// published package, and npm would warn all users who install it.
import { buildAll, hasTools } from "./build.mjs";

// Without the development dependencies, the build tools are missing.
if (hasTools()) process.exitCode = (await buildAll()) ? 0 : 1;
