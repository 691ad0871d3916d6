import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { restrictToOwner } from "./private-folder.js";

const NOBODY = 65_534;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Creates a folder of a user that contains a file and a folder of another user. */
function folderOf(owner: number, other: number): string {
  const folder = mkdtempSync(join(tmpdir(), "asi-private-"));
  folders.push(folder);
  for (const name of ["own", "lost+found"]) mkdirSync(join(folder, name));
  for (const name of ["own/file", "notes.txt"]) writeFileSync(join(folder, name), "");
  for (const name of ["own", "own/file", "notes.txt"]) chmodSync(join(folder, name), 0o755);
  for (const name of ["", "own", "own/file"]) chownSync(join(folder, name), owner, owner);
  for (const name of ["notes.txt", "lost+found"]) chownSync(join(folder, name), other, other);
  chmodSync(join(folder, "lost+found"), 0o700);
  return folder;
}

const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o777).toString(8);

describe.runIf(process.getuid?.() === 0)("files in the data folder that the service may not change", () => {
  it("remain unchanged, while the files of the service's own user are restricted", () => {
    const folder = folderOf(NOBODY, 0);
    process.seteuid?.(NOBODY);
    try {
      restrictToOwner(folder);
    } finally {
      process.seteuid?.(0);
    }
    expect([modeOf(folder, "own"), modeOf(folder, "own/file")]).toEqual(["700", "700"]);
    expect(modeOf(folder, "notes.txt")).toBe("755");
  });

  it("remain unchanged in a folder that its own user cannot access", () => {
    const folder = folderOf(NOBODY, 0);
    chmodSync(join(folder, "own"), 0o000);
    process.seteuid?.(NOBODY);
    try {
      restrictToOwner(folder);
    } finally {
      process.seteuid?.(0);
    }
    expect(modeOf(folder, "own")).toBe("0");
  });
});
