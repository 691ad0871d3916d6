/** The lines of a CSV as objects with the names of its header line. Supports only files without quoted fields. */
export function tableOf(csv: string, delimiter = ","): Record<string, string>[] {
  const [header = [], ...lines] = csv
    .trimEnd()
    .split("\n")
    .map((line) => line.split(delimiter));
  return lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i] ?? ""])));
}
