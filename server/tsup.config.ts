import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { buildDocsPage } from "./scripts/build-docs-page.js";

/** Writes the licences of the bundled packages next to the bundle. */
const licencesOfBundled: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "licences-of-bundled",
  setup(build) {
    const folders = new Set<string>();
    build.onLoad({ filter: /node_modules/ }, ({ path }) => {
      const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? [];
      if (folder !== undefined) folders.add(folder);
      return undefined;
    });
    build.onEnd(() => {
      const texts = [...folders].sort().map((folder) => {
        const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((one) => /^licen[cs]e(\.|$)/i.test(one));
        const notice = existsSync(join(folder, "NOTICE")) ? readFileSync(join(folder, "NOTICE"), "utf8") : "";
        const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
        return `${name} ${version}: ${license}\n\n${text}${notice}`;
      });
      // In a fresh checkout, esbuild creates it only after this.
      mkdirSync("dist", { recursive: true });
      writeFileSync("dist/licences.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
    });
  },
};

/** Packages of `devDependencies` in the bundle, and their imports. */
const COMPUTING = [
  /^@modelcontextprotocol\/sdk/,
  /^@sinclair\/typebox/,
  /^@uwdata\/flechette/,
  /^drizzle-orm/,
  /^@?fast-csv/,
  "commander",
  "ipaddr.js",
  "lru-cache",
  "negotiator",
  "prom-client",
  "rate-limiter-flexible",
  "yazl",
  /^zod/,
  "ajv-formats",
  "content-type",
  /^write-excel-file/,
];

export default defineConfig({
  entry: {
    main: "src/main.ts",
    "embedded-worker": "src/store/embedded/embedded-worker.js",
    "computation-thread": "src/domain/computed-data/threads/thread.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  clean: true,
  sourcemap: true,
  // Bundled, so that the package of the service needs no other package of this repository, and so that OpenTelemetry is one file
  // that is not read unless enabled, instead of 25 packages of 27 MB. Packages that only compute are also bundled, because
  // Node.js reads their hundreds of files more slowly than one. Packages for the network are not bundled, so that operators can
  // update them without a release.
  noExternal: ["asi-convert", /^@opentelemetry\/(?!api$)/, ...COMPUTING],
  banner: {
    // CommonJS within ES modules requires modules of Node.js.
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
  esbuildPlugins: [licencesOfBundled],
  esbuildOptions(options) {
    // The library declares that its modules have no side effects, so esbuild omits unused ones and reports each of them.
    options.logOverride = { ...options.logOverride, "ignored-bare-import": "silent" };
  },
  // A command that only queries the running server loads neither the database nor the web framework.
  splitting: true,
  // Run after each build, which begins with an empty folder.
  onSuccess: buildDocsPage,
});
