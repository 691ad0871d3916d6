import { defineConfig } from "tsup";
import { buildDocsPage } from "./scripts/build-docs-page.js";

export default defineConfig({
  entry: {
    main: "src/main.ts",
    "embedded-worker": "src/store/embedded-worker.js",
    "computation-thread": "src/domain/computed-data/threads/thread.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  clean: true,
  sourcemap: true,
  // Inside, so that the package of the service needs no other package of this repository.
  noExternal: ["asi-convert"],
  // A command that only asks the running server loads neither the database nor the web framework.
  splitting: true,
  // After each build, because it begins with an empty folder.
  onSuccess: buildDocsPage,
});
