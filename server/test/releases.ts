import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDER = join(import.meta.dirname, "releases");

/** The backups that `npm run record-release -w server` has recorded. */
export const RECORDED = readdirSync(FOLDER).filter((name) => name.endsWith(".backup"));

export const releaseFile = (name: string): string => join(FOLDER, name);

/** The manager whose story a recorded backup holds, and the lines of the backup. */
export function readRelease(name: string): { username: string; password: string; lines: string[] } {
  const lines = gunzipSync(readFileSync(releaseFile(name)))
    .toString()
    .split("\n");
  const username = /"username":"(coach-\d+)"/.exec(lines.join("\n"))?.[1] ?? "";
  return { username, password: "correct horse battery", lines };
}
