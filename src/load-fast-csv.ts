import { AsiError } from "./errors.js";

/** fast-csv, loaded when a CSV is to be read. Throws `NEEDS_NODE` where it is not there. */
export async function loadFastCsv(): Promise<typeof import("fast-csv")> {
  const module: Partial<typeof import("fast-csv")> & { default?: Partial<typeof import("fast-csv")> } =
    await import("fast-csv");
  const library = module.parse === undefined ? module.default : module;
  // Bundles for the browser leave it out (field "browser" of package.json).
  if (library?.parse === undefined) {
    throw new AsiError(
      "NEEDS_NODE",
      "Reading CSV is only there on Node.js; read the rows yourself and use encode.",
    );
  }
  return library as typeof import("fast-csv");
}
