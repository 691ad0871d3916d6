import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { buildDocsPage } from "./scripts/build-docs-page.js";

/** Writes the licences of the packages that are bundled, beside the bundle. */
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
      // In a fresh checkout esbuild creates it only after this.
      mkdirSync("dist", { recursive: true });
      writeFileSync("dist/licences.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
    });
  },
};

/** The packages of `devDependencies` that are part of the bundle, and what they import. */
const COMPUTING = [
  /^@sinclair\/typebox/,
  /^drizzle-orm/,
  /^@?fast-csv/,
  "commander",
  "ipaddr.js",
  "lru-cache",
  "negotiator",
  "prom-client",
  "rate-limiter-flexible",
  "yazl",
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
  // Inside, so that the package of the service needs no other package of this repository, and, as long as nobody turns it
  // on, OpenTelemetry is one file that is not read, and not 25 packages of 27 MB. And what only computes, because Node.js reads its
  // hundreds of files more slowly than one. What talks to the network stays outside: operators update it without a release.
  noExternal: ["asi-convert", /^@opentelemetry\/(?!api$)/, ...COMPUTING],
  banner: {
    // CommonJS inside of ES modules requires modules of Node.js.
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
  esbuildPlugins: [licencesOfBundled],
  esbuildOptions(options) {
    // The library declares that its modules do nothing by themselves, so esbuild leaves out those of which nothing is used, and says so
    // for each of them.
    options.logOverride = { ...options.logOverride, "ignored-bare-import": "silent" };
  },
  // A command that only asks the running server loads neither the database nor the web framework.
  splitting: true,
  // After each build, because it begins with an empty folder.
  onSuccess: buildDocsPage,
});
