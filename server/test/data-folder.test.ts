/**
 * Tests that only its user can access the files in the data folder, and that files placed there by other users are not trusted.
 */
import { execFile } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { restrictToOwner } from "../src/store/embedded/private-folder.js";
import { canMount, mountMemory } from "./mounts.js";
import { MAIN, Processes } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

const isEmbedded = process.env.TEST_DATABASE === "embedded";
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

/** Returns the paths in a folder that others may read, write or enter. */
function openToOthers(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return ["", ...names].filter((name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0);
}

describe("the data folder", { timeout: 180_000 }, () => {
  it("is inaccessible to other users with all its contents, whether a command or the service created it", async () => {
    const processes = await Processes.onNewDatabase();
    const DATA_DIR = join(newScratchFolder(), "made", "by a command");
    const openUmask = ["-c", 'umask 0; exec "$@"', "sh", process.execPath, MAIN];
    await promisify(execFile)("sh", [...openUmask, "app", "create", "--name", "x"], {
      env: { ...processes.env, DATA_DIR },
    });
    expect(openToOthers(DATA_DIR)).toEqual([]);
    chmodSync(DATA_DIR, 0o755);
    const again = await Processes.onNewDatabase({ DATA_DIR });
    const { terminate } = await again.start();
    expect(openToOthers(DATA_DIR)).toEqual([]);
    await terminate();
  });

  it.runIf(isRoot)(
    "is refused by the service and by the commands if it belongs to another user",
    async () => {
      const processes = await Processes.onNewDatabase();
      const DATA_DIR = newScratchFolder();
      chownSync(DATA_DIR, NOBODY, NOBODY);
      for (const args of [[], ["app", "create", "--name", "x"]]) {
        expect(await processes.refusal(args, { DATA_DIR })).toMatch(
          `The data folder ${DATA_DIR} belongs to user ${NOBODY}`,
        );
      }
      expect(readdirSync(DATA_DIR)).toEqual([]);
    },
  );

  it.runIf(canMount)("may contain read-only files of the operator", async () => {
    const folder = newScratchFolder();
    const mounted = join(folder, "secrets");
    mkdirSync(mounted);
    mountMemory(mounted, "ro,mode=755");
    const own = join(folder, "zone");
    writeFileSync(own, "");
    restrictToOwner(folder);
    expect(openToOthers(folder)).toEqual(["secrets"]);
  });

  it("is refused with a message if something else is in place of a file or folder of the service", async () => {
    const processes = await Processes.onNewDatabase();
    const { dataDir } = processes;
    const [key, uploads] = [join(dataDir, "server.key"), join(dataDir, "uploads")];
    writeFileSync(key, "not a key");
    expect(await processes.refusal([])).toMatch(
      /^The file \S+server\.key does not contain a server key.*\n$/,
    );
    rmSync(key);
    writeFileSync(uploads, "");
    expect(await processes.refusal([])).toMatch(
      /^The file system refuses this: file already exists, mkdir '\S+uploads'\. .*\n$/,
    );
  });

  it.runIf(isEmbedded)(
    "is not used by commands if its socket belongs to another user or is a different kind of file",
    async () => {
      const processes = await Processes.onNewDatabase();
      const DATA_DIR = newScratchFolder();
      const socket = join(DATA_DIR, "operator.sock");
      writeFileSync(socket, "");
      const refused = () => processes.refusal(["app", "create", "--name", "x"], { DATA_DIR });
      expect(await refused()).toContain("operator.sock is not a socket");
      expect(await processes.refusal([], { DATA_DIR })).toContain("operator.sock is not a socket");
    },
  );

  it.runIf(isEmbedded)(
    "can have a path that is too long for a socket, and the commands still find the server",
    async () => {
      const shared = newScratchFolder();
      const DATA_DIR = join(newScratchFolder(), "long".repeat(30));
      mkdirSync(DATA_DIR);
      const processes = await Processes.onNewDatabase({ DATA_DIR, TMPDIR: shared });
      const { terminate } = await processes.start();
      expect(
        await processes.command(
          "device",
          "add",
          "--serial-number",
          "S1",
          "--device-name",
          "N",
          "--device-type",
          "T",
        ),
      ).toMatchObject({
        serial_number: "S1",
      });
      // Another user could have created this folder first, so it is not used.
      expect(readdirSync(shared).filter((name) => name.startsWith("asi"))).toEqual([]);
      expect(await terminate()).toBe(0);
    },
  );
});
