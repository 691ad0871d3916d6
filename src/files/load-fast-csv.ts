/** Loads fast-csv on demand. */
export async function loadFastCsv(): Promise<typeof import("fast-csv")> {
  const module: typeof import("fast-csv") & { default?: typeof import("fast-csv") } = await import(
    "fast-csv"
  );
  // the ES module loader does not detect every export of a CommonJS module
  return module.parse === undefined && module.default !== undefined ? module.default : module;
}
