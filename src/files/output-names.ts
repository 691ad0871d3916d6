import { optionNames, shown } from "../arguments.js";
import { AsiError } from "../errors.js";
import { compactInstant } from "../reading/file-name.js";
import { isReservedName } from "../recording/header.js";
import { TimeZone } from "../rows/time-zone.js";

/** The fields of a name pattern. */
export const NAME_FIELDS = ["input", "serial", "start", "end", "date", "time", "index"] as const;

type NameField = (typeof NAME_FIELDS)[number];

/** Options for file names. */
export interface NameOptions {
  /**
   * Name of the files, without the extension. It can contain the fields `{input}` (name of the input without its extension),
   * `{serial}`, `{start}` and `{end}` (times of the first and last row, `20250517T143000`), `{date}` and `{time}` (of the first
   * row, `2025-05-17` and `14-30-00`) and `{index}` (number of the range with `split`, otherwise 1). Default:
   * `{serial}_{start}_{end}`. It must not be a path, or contain characters that Windows forbids in names. Cannot be combined with
   * `output`.
   */
  name?: string | undefined;
  /** Time zone for the times in names, such as `Europe/Zurich`; default UTC. */
  nameTimeZone?: string | undefined;
}

/** Every option for names. */
export const NAME_OPTIONS = optionNames<NameOptions>({ name: true, nameTimeZone: true });

/** Values for the fields of a name. */
export interface NamedFile {
  serial: string;
  /** First and last row, ms since 1970 UTC. */
  start: number;
  end: number;
}

const STANDARD_NAME = "{serial}_{start}_{end}";

/** Assigns names to files. */
export class OutputNames {
  readonly #pattern: string;
  readonly #zone: TimeZone | null;

  /** @throws AsiError `BAD_OPTION` for an unknown field or time zone, and for characters that some systems forbid in names */
  constructor({ name = STANDARD_NAME, nameTimeZone }: NameOptions) {
    checkPattern(name);
    this.#pattern = name;
    this.#zone = nameTimeZone === undefined ? null : new TimeZone(nameTimeZone);
  }

  /**
   * Returns distinct names for the files from one input. If names are equal, a number is added to the later ones.
   *
   * @param input name of the input without its extension
   * @param extension including its dot
   */
  of(files: readonly NamedFile[], input: string, extension: string): string[] {
    const taken = new Set<string>();
    const numbers = new Map<string, number>();
    return files.map((file, i) => {
      const index = String(i + 1).padStart(String(files.length).length, "0");
      const stem = this.#stem(file, input, index, extension);
      let name = stem;
      for (let number = numbers.get(stem) ?? 1; taken.has(name.toLowerCase()); ) {
        number += 1;
        name = `${stem}_${number}`;
        numbers.set(stem, number);
      }
      // some file systems ignore case
      taken.add(name.toLowerCase());
      return name + extension;
    });
  }

  #stem({ serial, start, end }: NamedFile, input: string, index: string, extension: string): string {
    const local = (ms: number) => ms + (this.#zone?.offsetAt(ms) ?? 0);
    const startText = new Date(local(start)).toISOString();
    const values: Record<NameField, string> = {
      input,
      serial,
      start: compactInstant(local(start)),
      end: compactInstant(local(end)),
      date: startText.slice(0, startText.indexOf("T")),
      time: startText
        .slice(startText.indexOf("T") + 1)
        .slice(0, 8)
        .replaceAll(":", "-"),
      index,
    };
    const name = this.#pattern.replace(/\{(\w+)\}/g, (_, field: NameField) => values[field]);
    const stem = name.toLowerCase().endsWith(extension) ? name.slice(0, -extension.length) : name;
    return isReservedName(stem) ? stem.replace(/^[^.]*/, "$&_") : stem;
  }
}

function checkPattern(pattern: string): void {
  if (typeof pattern !== "string" || pattern.trim() === "") {
    throw new AsiError(
      "BAD_OPTION",
      `The option name is ${shown(pattern)}; it must be a text such as {input}_{start}.`,
    );
  }
  const fields = NAME_FIELDS.map((field) => `{${field}}`).join(", ");
  const literal = pattern.replace(/\{([^{}]*)\}/g, (field, name: string) => {
    if (NAME_FIELDS.some((known) => known === name)) return "";
    throw new AsiError("BAD_OPTION", `The option name has the unknown field ${shown(field)}; use ${fields}.`);
  });
  if (/[{}]/.test(literal)) {
    throw new AsiError(
      "BAD_OPTION",
      `The option name has a brace that is not part of a field; use ${fields}.`,
    );
  }
  if (/[\\/]/.test(literal)) {
    throw new AsiError(
      "BAD_OPTION",
      "The option name is a file name, not a path; select the folder with the option outDir.",
    );
  }
  const forbidden = /[<>:"|?*\p{Cc}]/u.exec(literal)?.[0];
  if (forbidden !== undefined) {
    throw new AsiError(
      "BAD_OPTION",
      `The option name contains ${shown(forbidden)}, which is not allowed in file names on Windows.`,
    );
  }
}

/** Returns the value of `{input}` for a path: the file name without `.gz` and without its extension. */
export function inputNameOf(fileName: string): string {
  const stem = fileName.replace(/\.gz$/i, "").replace(/(?<=.)\.[^.]*$/, "");
  return stem === "" ? fileName : stem;
}
