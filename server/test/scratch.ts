import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The run's folder for files; removed when the run ends. */
    scratch: string;
  }
}

/** A new folder of the run's. */
export const newScratchFolder = (): string => mkdtempSync(join(inject("scratch"), "f-"));
