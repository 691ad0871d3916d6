import { readSheet } from "../src/squad/sheet.js";

/** The rows of a CSV as objects with the names of its header line. */
export function tableOf(csv: string): Record<string, string>[] {
  const { headers, rows } = readSheet(csv);
  return rows.map(({ fields }) => Object.fromEntries(headers.map((name, i) => [name, fields[i] ?? ""])));
}
