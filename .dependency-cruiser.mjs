/**
 * Permitted imports between folders, which `npm run structure` checks. ARCHITECTURE.md has pictures of them. Types count as imports too.
 * A known exception is a separate rule with a comment that gives the reason, and is excluded from the general rule.
 */

/** Tests may import everything. */
const TESTS = "\\.test\\.ts$|/testing/";

/**
 * Folders from the lowest to the highest. A folder may import those below it; folders of one line are independent of each other.
 * @param {string} root of the folders, with a trailing slash
 * @param {string[][]} lines
 * @param {string} except files that may import folders above them, as a regular expression
 */
function layers(root, lines, except = TESTS) {
  const all = lines.flat().join("|");
  const rules = lines.flatMap((line, i) => {
    const above = lines.slice(i).flat().join("|");
    return line.map((folder) => ({
      name: `${root}${folder}: only what is below`,
      severity: "error",
      from: { path: `^${root}${folder}/`, pathNot: `${except}|${TESTS}` },
      to: { path: `^${root}(${above})/`, pathNot: `^${root}${folder}/` },
    }));
  });
  return [
    ...rules,
    {
      name: `${root}: every folder has its place in .dependency-cruiser.mjs`,
      severity: "error",
      from: { path: `^${root}(?!(${all})/)[^/]+/`, pathNot: TESTS },
      to: {},
    },
  ];
}

const house = [
  {
    name: "no circular imports",
    severity: "error",
    from: {},
    to: { circular: true },
  },
  {
    name: "assembly: bytes only",
    comment: "It is compiled to WebAssembly; the library has the result in src/engine/wasm/bytes.ts.",
    severity: "error",
    from: { path: "^assembly/" },
    to: { pathNot: "^assembly/" },
  },
  {
    name: "library: no imports of the command, the service or tools",
    severity: "error",
    from: { path: "^src/" },
    to: { path: "^(assembly|bin|server|web|test|bench|fuzz|fixtures|scripts)/" },
  },
  {
    name: "library: the core runs in browsers",
    comment: "src/node.ts exports functions that need files; they are in src/files.",
    severity: "error",
    from: { path: "^src/", pathNot: "^src/(files/|cli/|node\\.ts$)" },
    to: { path: "^src/(files|cli)/|^src/node\\.ts$" },
  },
  {
    name: "library: the core needs no Node.js",
    severity: "error",
    from: { path: "^src/", pathNot: "^src/(files/|cli/|node\\.ts$)" },
    to: { dependencyTypes: ["core"] },
  },
  {
    name: "library: fast-csv only where CSVs are read",
    comment: "A bundle for browsers does not contain it.",
    severity: "error",
    from: { path: "^src/", pathNot: "^src/files/" },
    to: { path: "node_modules/fast-csv/" },
  },
  {
    name: "library: metrics do not import the code of recordings",
    comment: "They are pure functions of columns. They share only types and the error class with the rest.",
    severity: "error",
    from: { path: "^src/metrics/" },
    to: { pathNot: "^src/(metrics/|(arguments|errors|text-encoding|types)\\.ts$)" },
  },
  {
    name: "library: the squad does not import the code of recordings",
    comment: "Command, page and service read its files and compute its table with the same functions.",
    severity: "error",
    from: { path: "^src/squad/" },
    to: {
      pathNot:
        "^src/(squad/|metrics/|rows/(csv-text|time-zone)\\.ts$|(arguments|errors|text-encoding|types)\\.ts$)",
    },
  },
  {
    name: "service: only the API of OpenTelemetry",
    comment: "The rest is loaded with observability/telemetry/, and only where it is turned on.",
    severity: "error",
    from: { path: "^server/src/", pathNot: "^server/src/observability/telemetry/" },
    to: { path: "node_modules/@opentelemetry/(?!api/)" },
  },
  {
    name: "service: telemetry is loaded on demand",
    severity: "error",
    from: { path: "^server/src/", pathNot: "^server/src/observability/telemetry/" },
    to: { path: "^server/src/observability/telemetry/", dependencyTypesNot: ["dynamic-import", "type-only"] },
  },
  {
    name: "service: imports the library only as a package",
    severity: "error",
    from: { path: "^server/src/" },
    to: {
      path: "^(src|assembly|bin|test|bench|fuzz|fixtures|scripts|server/(test|bench|soak|siege|story|scripts))/",
    },
  },
];

const library = [
  ...layers("src/", [
    ["metrics", "sources"],
    ["pictures", "recording", "rows"],
    ["engine", "formats", "squad"],
    ["reading", "tracks", "waveform-files"],
    ["api", "packed", "squad-report"],
    ["files"],
    ["cli"],
  ]),
  {
    name: "library: folders do not import entry points",
    severity: "error",
    from: { path: "^src/(?!cli/)[^/]+/" },
    to: { path: "^src/(index|node)\\.ts$" },
  },
  ...layers("src/cli/", [
    ["help", "terminal"],
    ["arguments", "batch", "service"],
    ["live"],
    ["run"],
    ["mcp"],
    ["commands"],
  ]),
];

const service = [
  ...layers("server/src/", [
    ["config", "fairness", "wire"],
    ["observability", "store"],
    ["domain"],
    ["jobs", "oauth"],
    ["http"],
    ["operator"],
    ["process"],
    ["cli"],
  ]),
  ...layers("server/src/store/", [
    ["embedded", "placement", "schema"],
    ["connection"],
    ["queue", "samples", "sample-servers"],
    ["migrations"],
    ["backup"],
  ]),
  ...layers("server/src/http/", [
    ["browser", "connection"],
    ["limits", "monitoring", "web-socket"],
    ["body"],
    ["files"],
    ["documentation", "mcp"],
    ["routes"],
  ]),
];

/** These two connect the subjects: who may do what, and what follows from what. */
const TABLES = "^server/src/domain/change/(access|effects|effects-of-samples|effects-of-sessions)\\.ts$";

const domain = [
  ...layers(
    "server/src/domain/",
    [
      ["change", "sample-ownership"],
      ["change-log", "lists", "secrets"],
      ["accounts", "devices", "json-schemas", "recipes"],
      ["permissions", "ownerships"],
      ["athletes", "managers", "raw-data", "bulk-load", "bluetooth", "jobs"],
      ["recording-streams"],
      ["activities"],
      ["timeframes"],
      ["computed-data", "webhooks"],
      ["squad-roles"],
      ["change-feed", "sessions"],
      ["assignments", "members", "squads"],
      ["rosters"],
      ["deletion", "exports"],
    ],
    TABLES,
  ),
  {
    name: "domain: the table of access names rules",
    severity: "error",
    from: { path: "^server/src/domain/change/access\\.ts$" },
    to: { path: "^server/src/domain/[^/]+/", pathNot: "/rules\\.ts$|^server/src/domain/change/" },
  },
  {
    name: "domain: effects are called by announcing",
    comment: "change.ts does so for the unit of work.",
    severity: "error",
    from: { pathNot: "^server/src/domain/change/(change|effects)\\.ts$" },
    to: { path: "^server/src/domain/change/(effects|effects-of-samples|effects-of-sessions)\\.ts$" },
  },
];

const page = [
  ...layers("web/src/", [["view"], ["plots", "map"], ["recording"], ["parts"], ["squad"], ["app"]]),
  {
    name: "page: imports the library only as a package",
    comment:
      "It knows nothing of the service but its documented API. The chart of a season is the exception: in the package it would be twice.",
    severity: "error",
    from: { path: "^web/src/", pathNot: "^web/src/app/season/chart\\.ts$" },
    to: { path: "^(src|assembly|bin|test|bench|fuzz|fixtures|scripts|server)/|^web/test/" },
  },
];

export default {
  forbidden: [...house, ...library, ...service, ...domain, ...page],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/" },
    // Includes type imports, because they are dependencies too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types"] },
  },
};
