import { join } from "node:path";
import { type Case, timed } from "./measure.js";
import { ASI, gpsdecodeLines, isInstalled, runProgram } from "./processes.js";
import { type Session, type Sessions, sizeOf } from "./sessions.js";
import { assertDigest, digestOfFile, expectedDigest, verifyGpsdecode } from "./verify.js";

/** Returns the arguments of node for converting a session to `csv` with `asi convert`. */
export const asiArguments = ({ path }: Session, csv: string) => [ASI, "convert", path, "-o", csv, "--force"];

/**
 * Creates the cases that are whole processes, from start to exit. Each result is verified before it is timed.
 *
 * @throws Error if a result is wrong
 */
export async function processCases(
  { main, slice, start }: Sessions,
  native: string | null,
  folder: string,
): Promise<Case[]> {
  const csv = join(folder, "out.csv");
  const node = process.execPath;
  const expected = expectedDigest(slice.rows);

  await runProgram(node, asiArguments(slice, csv));
  assertDigest("asi convert", await digestOfFile(csv), expected);
  const cases = [
    timed("nodeStart", { rows: 0, bytes: 0 }, () => runProgram(node, ["-e", "0"])),
    timed("asiStart", sizeOf(start), () => runProgram(node, asiArguments(start, csv))),
    timed("asiProcess", sizeOf(main), () => runProgram(node, asiArguments(main, csv))),
  ];
  if (native !== null) {
    await runProgram(native, [slice.path, csv]);
    assertDigest("native C", await digestOfFile(csv), expected);
    cases.push(timed("nativeProcess", sizeOf(main), () => runProgram(native, [main.path, csv])));
  }
  if (await isInstalled("gpsdecode", "-V")) {
    verifyGpsdecode(await gpsdecodeLines(slice.path), slice.rows);
    cases.push(timed("gpsdecode", sizeOf(slice), () => runProgram("gpsdecode", ["-j"], slice.path)));
  }
  return cases;
}
