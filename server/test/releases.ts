import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "releases");

/** Files of the backups recorded by `npm run record-release -w server`. */
export const RECORDED = readdirSync(FOLDER).filter((name) => name.endsWith(".backup"));

export const releaseFile = (name: string): string => join(FOLDER, name);

/** Returns the credentials of a manager in a recorded backup, and the lines of the backup. */
export function readRelease(name: string): { username: string; password: string; lines: string[] } {
  const lines = gunzipSync(readFileSync(releaseFile(name)))
    .toString()
    .split("\n");
  const username = /"username":"(coach-\d+)"/.exec(lines.join("\n"))?.[1] ?? "";
  return { username, password: "correct horse battery", lines };
}
