import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
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

/** A folder outside the repository in which the package is installed. */
export interface ScratchPackage {
  folder: string;
  /** Path of the installed package. */
  installed: string;
  remove(): void;
}

/** An installed package that was packed first. */
export interface PackedPackage extends ScratchPackage {
  /** Paths of the packed files. */
  files: string[];
  /** Size of the tarball. */
  packedBytes: number;
}

/**
 * Packs the build and unpacks the tarball beside the dependencies of the repository.
 *
 * @param withNpm npm installs it as for a user, if a registry is available
 */
export function installPacked(withNpm: boolean): PackedPackage {
  const scratch = scratchPackage();
  const { folder, installed } = scratch;
  // npm must not run the scripts, which would build again while other tests use the build.
  const packed = npm(repository, "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
  const [tarball] = JSON.parse(packed.stdout) as [
    { filename: string; size: number; files: { path: string }[] },
  ];
  if (!withNpm) unpack(folder, tarball.filename, installed);
  else {
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0"];
    if (npm(folder, "install", ...options, `./${tarball.filename}`).status !== 0) {
      console.warn(
        "no registry is available, so the package is unpacked beside the dependencies of the repository",
      );
      unpack(folder, tarball.filename, installed);
    }
  }
  return { ...scratch, files: tarball.files.map(({ path }) => path), packedBytes: tarball.size };
}

/** Installs build and manifest as a package without packing, for tests that only import it. */
export function installBuilt(): ScratchPackage {
  const scratch = scratchPackage();
  cpSync(join(repository, "dist"), join(scratch.installed, "dist"), { recursive: true });
  copyFileSync(join(repository, "package.json"), join(scratch.installed, "package.json"));
  linkDependency(scratch.folder);
  return scratch;
}

function scratchPackage(): ScratchPackage {
  if (!existsSync(join(repository, "dist/index.js")))
    throw new Error("there is no dist; run `npm run build` first");
  // npm returns the real path of a folder in the temporary folder
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "asi-package-")));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  return {
    folder,
    installed: join(folder, "node_modules/asi-convert"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function unpack(folder: string, tarball: string, installed: string): void {
  mkdirSync(installed, { recursive: true });
  const { status } = spawnSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"], {
    cwd: folder,
  });
  if (status !== 0) throw new Error(`${tarball} cannot be unpacked`);
  linkDependency(folder);
}

function linkDependency(folder: string): void {
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
