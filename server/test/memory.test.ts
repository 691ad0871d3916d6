import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Processes, type RunningProcess } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

/** Returns the resident memory of a process, MB. Only Linux has a file with this value for another process. */
const residentMb = ({ pid }: RunningProcess): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1]) / 1000;
};

/** One third more than the measured value. */
const MAX_MB = 350;
/** One third more than the measured value. */
const MAX_FIRST_START_MB = 550;

const isShown = process.env.TEST_DATABASE === "embedded" && process.platform === "linux";

describe.runIf(isShown)("a process with the embedded database", () => {
  it("takes less than 350 MB after a start", async () => {
    const processes = await Processes.onNewDatabase();
    expect(residentMb(await processes.start())).toBeLessThan(MAX_MB);
  });

  it("takes less than 550 MB after the start that creates the database", async () => {
    const processes = await Processes.onNewDatabase();
    const first = await processes.startWith({ DATA_DIR: join(newScratchFolder(), "data") });
    expect(residentMb(first)).toBeLessThan(MAX_FIRST_START_MB);
  });
});
