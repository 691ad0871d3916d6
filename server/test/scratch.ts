import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder for files of the run, which is removed at the end of the run. */
    scratch: string;
  }
}

/** Creates a folder within the run's folder. */
export const newScratchFolder = (): string => mkdtempSync(join(inject("scratch"), "f-"));
