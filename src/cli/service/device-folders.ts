import { readdirSync } from "node:fs";
import { join } from "node:path";
import { canBeFileName } from "../../recording/header.js";
import type { OwnDevice } from "./devices.js";
import { type Origin, readList } from "./pulled-files.js";

const PARTITION = "serial=";

/**
 * Returns the folders of devices, by their ids. `serial=ROVER-1` is a partition, which DuckDB, pandas and Arrow convert to a column,
 * because the files contain no serial number. The id replaces a serial number that is invalid as the name of a folder, and one that differs
 * only in case from the folder of another device, because many file systems ignore case. A device keeps the folder that contains its files.
 *
 * @param devices all devices of the account, so that a selection of them does not change the folders
 */
export function foldersOf(
  outDir: string,
  devices: readonly Pick<OwnDevice, "id" | "serial">[],
  { service, account }: Pick<Origin, "service" | "account">,
): ReadonlyMap<number, string> {
  const wanted = new Set(devices.flatMap((device) => [plainName(device), nameById(device)].map(lowerCase)));
  const owners = new Map(
    partitionsIn(outDir)
      // Folders that cannot belong to a device are ignored, even if they cannot be read.
      .filter((name) => wanted.has(lowerCase(name)))
      .map((name) => {
        const list = readList(join(outDir, name));
        const isOurs = list?.service === service && list.account === account;
        return [name, isOurs ? list.device : null] as const;
      }),
  );
  const folders = new Map<number, string>();
  /** Used names of folders, and their devices, by the name in lower case. */
  const used = new Map<string, { name: string; device: number | null }>();
  const use = (name: string, device: number | null) => used.set(lowerCase(name), { name, device });
  for (const [name, device] of owners) use(name, device);
  for (const device of devices) {
    const kept = [plainName(device), nameById(device)].find((name) => owners.get(name) === device.id);
    if (kept === undefined) continue;
    folders.set(device.id, kept);
    use(kept, device.id);
  }
  for (const device of devices.toSorted((a, b) => a.id - b.id)) {
    if (folders.has(device.id)) continue;
    const plain = plainName(device);
    const other = used.get(lowerCase(plain));
    const isFree = other === undefined || (other.name === plain && other.device === null);
    const name = canBeFolder(device.serial) && isFree ? plain : nameById(device);
    folders.set(device.id, name);
    use(name, device.id);
  }
  return folders;
}

const plainName = ({ serial }: Pick<OwnDevice, "serial">) => PARTITION + serial;
const lowerCase = (name: string) => name.toLowerCase();
const nameById = ({ id }: Pick<OwnDevice, "id">) => `${PARTITION}id-${id}`;

/** Windows removes dots at the end of a name; `id-7` is the folder of a device that is named by its id. */
const canBeFolder = (serial: string) =>
  canBeFileName(serial) && !serial.endsWith(".") && !/^id-\d+$/i.test(serial);

function partitionsIn(outDir: string): string[] {
  try {
    return readdirSync(outDir).filter((name) => name.startsWith(PARTITION));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
