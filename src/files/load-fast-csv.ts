/** fast-csv, loaded when a CSV is to be read. */
export async function loadFastCsv(): Promise<typeof import("fast-csv")> {
  const module: typeof import("fast-csv") & { default?: typeof import("fast-csv") } = await import(
    "fast-csv"
  );
  // the loader of ES modules does not find every name of a CommonJS module
  return module.parse === undefined && module.default !== undefined ? module.default : module;
}
