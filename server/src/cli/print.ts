import { withoutFormula } from "asi-convert/csv";
import { ConfigError } from "../config/config.js";
import { UsageError } from "../config/usage-error.js";
import { ServiceError } from "../domain/change/errors.js";
import { errorText } from "../observability/error-record.js";
import type { Outcome } from "../operator/commands.js";
import { CommandRefused } from "../operator/socket-client.js";
import { databaseMessage, isUnavailable } from "../store/connection/database-errors.js";
import { NotConfirmed } from "./confirm.js";

/** Escapes control characters: names and addresses come from users, and a terminal would interpret them. */
const visible = (text: string) =>
  text.replace(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/** Resolves when the text has been written, so that the command does not run ahead of a slow reader. */
const write = (text: string) =>
  new Promise<void>((done, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : done()));
  });

export function print(outcome: Outcome, json: boolean): void {
  if (json) console.log(JSON.stringify(outcome));
  else for (const [name, value] of Object.entries(outcome)) console.log(`${name}: ${show(value)}`);
}

/** Prints each object of a list on a separate line. */
function show(value: unknown): string {
  if (typeof value === "string") return visible(value);
  const isList = Array.isArray(value) && value.some((entry) => typeof entry === "object" && entry !== null);
  return isList
    ? value.map((entry) => `\n  ${visible(JSON.stringify(entry))}`).join("")
    : visible(JSON.stringify(value));
}

/** Prints a list as its parts arrive. */
export interface ListPrinter {
  part(items: readonly Record<string, unknown>[]): Promise<void>;
  end(): Promise<void>;
}

/** Prints a JSON array with one object per line. It ends with `]` only if the list is complete. */
export function jsonPrinter(): ListPrinter {
  let begun = false;
  return {
    async part(items) {
      const lines = items.map((item) => JSON.stringify(item)).join(",\n");
      if (lines === "") return;
      await write(`${begun ? ",\n" : "[\n"}${lines}`);
      begun = true;
    },
    end: () => write(begun ? "\n]\n" : "[]\n"),
  };
}

/** Output format of `audit export`. */
export const LINE_FORMATS = ["jsonl", "csv"] as const;

/** Prints JSON lines, or CSV with a header line. A cell with an object contains JSON. */
export function linePrinter(format: (typeof LINE_FORMATS)[number], columns: readonly string[]): ListPrinter {
  const csvLine = (cells: readonly unknown[]) => `${cells.map(csvCell).join(",")}\r\n`;
  let head = format === "csv" ? csvLine(columns) : "";
  const takeHead = () => {
    const taken = head;
    head = "";
    return taken;
  };
  return {
    part: (items) =>
      write(
        takeHead() +
          items
            .map((item) =>
              format === "csv" ? csvLine(columns.map((name) => item[name])) : `${JSON.stringify(item)}\n`,
            )
            .join(""),
      ),
    end: () => write(takeHead()),
  };
}

/**
 * Formats JSON without formulas after semicolons, at which a spreadsheet splits lines if the semicolon is its list separator. The escape
 * sequences do not change the value of the JSON.
 */
const jsonCell = (value: unknown): string =>
  JSON.stringify(value).replace(
    /(;[\\"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g,
    (_, start: string, sign: string) => `${start}\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Escapes values that begin like a formula, because values come from users and a spreadsheet would run them. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? withoutFormula(value) : jsonCell(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : visible(value.join(","));
  return visible(String(value));
};

/** Prints a table with one line per item. The first part determines the widths of the columns. */
export function tablePrinter(): ListPrinter {
  let names: string[] | undefined;
  let widths: number[] = [];
  const line = (cells: readonly string[]) =>
    `${cells
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  return {
    async part(items) {
      const [first] = items;
      if (first === undefined) return;
      const shown = names ?? Object.keys(first);
      const rows = items.map((item) => shown.map((name) => cell(item[name])));
      let head = "";
      if (names === undefined) {
        names = shown;
        widths = shown.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
        head = line(shown);
      }
      await write(head + rows.map(line).join(""));
    },
    async end() {
      if (names === undefined) console.error("The list is empty.");
    },
  };
}

/** Returns the error as JSON: the body of the error response, or the text of the error. */
export const bodyOf = (error: unknown): unknown =>
  error instanceof ServiceError || error instanceof CommandRefused ? error.body : { detail: reasonOf(error) };

/** Returns the messages in the body of an error, with their field names. */
function messagesOf(body: unknown): string {
  if (Array.isArray(body)) return body.map(messagesOf).join(" ");
  if (typeof body !== "object" || body === null) return String(body);
  return Object.entries(body)
    .map(([name, value]) =>
      ["detail", "message", "non_field_errors"].includes(name)
        ? messagesOf(value)
        : `${name}: ${messagesOf(value)}`,
    )
    .join("\n");
}

/** Codes of file system errors that the operator can correct: wrong file type or wrong permissions. */
const isFileError = (error: unknown): error is Error =>
  error instanceof Error && "syscall" in error && "path" in error && typeof error.path === "string";

export function reasonOf(error: unknown): string {
  if (error instanceof ServiceError || error instanceof CommandRefused) return messagesOf(error.body);
  if (error instanceof ConfigError) return `The settings are invalid:\n${error.message}`;
  if (error instanceof UsageError || error instanceof NotConfirmed) return error.message;
  if (isUnavailable(error)) {
    const reason = databaseMessage(error) ?? (error as Error).message;
    return visible(`The database cannot do this now: ${reason}. Repeat the command later.`);
  }
  if (isFileError(error)) {
    const reason = error.message.replace(/^[A-Z]+: /, "");
    return visible(
      `The file system refuses this: ${reason}. Check the type, the owner and the permissions of this path.`,
    );
  }
  return errorText(error);
}
