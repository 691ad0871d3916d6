import { withoutFormula } from "asi-convert/csv";
import { ConfigError } from "../config/config.js";
import { UsageError } from "../config/usage-error.js";
import { ServiceError } from "../domain/change/errors.js";
import { errorText } from "../observability/error-record.js";
import type { Outcome } from "../operator/commands.js";
import { CommandRefused } from "../operator/socket-client.js";
import { databaseMessage, isUnavailable } from "../store/connection/database-errors.js";
import { NotConfirmed } from "./confirm.js";

/** Names and addresses come from users: control characters in them would reach the terminal. */
const visible = (text: string) =>
  text.replace(/\p{C}/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

/** Resolves when the text has been written, so that a slow reader slows the command down. */
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

/** A JSON array with one object in each line. It ends with `]` only when the list is complete. */
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

/** How `audit export` prints. */
export const LINE_FORMATS = ["jsonl", "csv"] as const;

/** JSON lines, or a CSV whose first line names the columns. Objects are JSON in a cell. */
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

/** Values come from users: a spreadsheet would run a text that begins like a formula. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? withoutFormula(value) : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : visible(value.join(","));
  return visible(String(value));
};

/** A table with a line for each item. The first part decides the widths of the columns. */
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

/** The error as JSON: the body of the refusal, or its text. */
export const bodyOf = (error: unknown): unknown =>
  error instanceof ServiceError || error instanceof CommandRefused ? error.body : { detail: reasonOf(error) };

/** The messages in the body of an error, with the names of their fields. */
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

/** An error of the operator's files: what is at a path, or the rights on it, is not as it must be. */
const isFileError = (error: unknown): error is Error =>
  error instanceof Error && "syscall" in error && "path" in error && typeof error.path === "string";

export function reasonOf(error: unknown): string {
  if (error instanceof ServiceError || error instanceof CommandRefused) return messagesOf(error.body);
  if (error instanceof ConfigError) return `The settings are invalid:\n${error.message}`;
  if (error instanceof UsageError || error instanceof NotConfirmed) return error.message;
  if (isUnavailable(error)) {
    const reason = databaseMessage(error) ?? (error as Error).message;
    return visible(`The database cannot do this now: ${reason}. Repeat the command when it can.`);
  }
  if (isFileError(error)) {
    const reason = error.message.replace(/^[A-Z]+: /, "");
    return visible(
      `The file system refuses this: ${reason}. Check what is there, who owns it, and what its owner may do.`,
    );
  }
  return errorText(error);
}
