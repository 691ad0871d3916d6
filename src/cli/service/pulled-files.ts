import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../arguments.js";
import { readHiddenFile, replaceHiddenFile } from "../../files/hidden-file.js";
import { DescribedError } from "../terminal/problem.js";

/** The name begins with a dot, so that readers of a whole folder skip the file. */
const LIST = ".asi-pull.json";

/** Properties that all files in a folder have in common. */
export interface Origin {
  /** Id of the device. */
  device: number;
  /** Address of the service. */
  service: string;
  account: number;
  /** The time zone that defines the days. */
  timeZone: string;
}

interface Entry {
  /** The state of the day when the file was requested. */
  state: string;
  bytes: number;
}

interface List extends Origin {
  version: 1;
  files: Record<string, Entry>;
}

/** The complete files in the folder of a device, and the state of the samples that they contain. */
export class PulledFiles {
  readonly #folder: string;
  readonly #list: List;

  /**
   * Reads the list of the folder. An invalid list is ignored, so that all days are requested again.
   *
   * @throws DescribedError `OTHER_ORIGIN` if the files have a different origin, because they would be replaced, or days would overlap
   */
  constructor(folder: string, origin: Origin) {
    this.#folder = folder;
    const list = readList(folder);
    if (list !== null && !hasOrigin(list, origin)) {
      throw new DescribedError({
        error: {
          code: "OTHER_ORIGIN",
          message: `${folder} contains files of ${list.service}, account ${list.account}, device ${list.device}, with days in ${list.timeZone}; choose another folder.`,
        },
      });
    }
    this.#list = list ?? { version: 1, ...origin, files: {} };
  }

  /** Names of the files. */
  get names(): string[] {
    return Object.keys(this.#list.files).sort();
  }

  /** Returns whether the file is complete and contains the samples of this state. */
  isCurrent(name: string, state: string): boolean {
    const entry = Object.hasOwn(this.#list.files, name) ? this.#list.files[name] : undefined;
    if (entry === undefined || entry.state !== state) return false;
    return statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size === entry.bytes;
  }

  /** Creates the folder, and returns the path of a file in it. */
  pathOf(name: string): string {
    mkdirSync(this.#folder, { recursive: true });
    return join(this.#folder, name);
  }

  /** Adds a complete file to the list. After a power failure, the list may be missing; the files are then requested again. */
  add(name: string, entry: Entry): void {
    this.#list.files[name] = entry;
    replaceHiddenFile(this.#folder, LIST, `${JSON.stringify(this.#list)}\n`);
  }
}

const hasOrigin = (list: List, { device, service, account, timeZone }: Origin): boolean =>
  list.device === device &&
  list.service === service &&
  list.account === account &&
  list.timeZone === timeZone;

/** Reads the list of a folder. Returns null if there is none, or if it is invalid. */
export function readList(folder: string): List | null {
  const text = readHiddenFile(folder, LIST);
  try {
    const list: unknown = JSON.parse(text ?? "null");
    return isList(list) ? list : null;
  } catch {
    return null;
  }
}

function isList(value: unknown): value is List {
  if (!isRecord(value) || !isRecord(value.files)) return false;
  return (
    value.version === 1 &&
    typeof value.device === "number" &&
    typeof value.service === "string" &&
    typeof value.account === "number" &&
    typeof value.timeZone === "string" &&
    Object.values(value.files).every(
      (entry) => isRecord(entry) && typeof entry.state === "string" && typeof entry.bytes === "number",
    )
  );
}
