import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("..", import.meta.url));

/** A folder outside the repository in which the packed package is installed. */
export interface ScratchPackage {
  folder: string;
  /** Where the package lies installed. */
  installed: string;
  /** Paths of the packed files. */
  files: string[];
  remove(): void;
}

/**
 * Packs what has been built and installs the tarball as a user does. Where no registry can be reached the tarball is
 * unpacked instead, beside the dependencies of the repository.
 */
export function installPacked(): ScratchPackage {
  if (!existsSync(join(repository, "dist/index.js")))
    throw new Error("there is no dist; run `npm run build` first");
  // npm gives a folder below the temporary one by its real path
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "asi-package-")));
  // The scripts would build again, under the feet of other tests.
  const packed = npm(repository, "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
  const [tarball] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));

  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0"];
  const { status } = npm(folder, "install", ...options, `./${tarball.filename}`);
  const installed = join(folder, "node_modules/asi-convert");
  if (status !== 0) {
    console.warn("no registry: the package is unpacked beside the dependencies of the repository");
    unpack(folder, tarball.filename, installed);
  }
  return {
    folder,
    installed,
    files: tarball.files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function unpack(folder: string, tarball: string, installed: string): void {
  mkdirSync(installed, { recursive: true });
  const { status } = spawnSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], {
    cwd: folder,
  });
  if (status !== 0) throw new Error(`${tarball} cannot be unpacked`);
  const link = join(folder, "node_modules", "fast-csv");
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(join(repository, "node_modules", "fast-csv"), link, "junction");
}

function npm(cwd: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("npm", args, {
    cwd,
    encoding: "utf8",
    timeout: 90_000,
    shell: process.platform === "win32",
  });
}
