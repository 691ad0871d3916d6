import { AsiError, newBatch, rowsBetween, type SampleBatch } from "asi-convert";

/** Reads CSVs as the library writes them: a header line with the names of columns, then numbers. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SampleBatch> {
  let reader: LineReader | null = null;
  let lineNumber = 0;
  for await (const lines of linesOf(chunks, () => lineNumber + 1)) {
    const batch = newBatch(lines.length);
    let rows = 0;
    for (const line of lines) {
      lineNumber += 1;
      if (line.trim() === "") continue;
      if (line.length > LONGEST_LINE) throw tooLong(lineNumber);
      if (reader === null) reader = new LineReader(line, lineNumber);
      else reader.read(line, lineNumber, batch, rows++);
    }
    // blank lines left room
    yield rowsBetween(batch, 0, rows);
  }
  if (reader === null)
    throw new AsiError("BAD_CSV", "The CSV is empty; it needs a header line.", { line: 1 });
}

const LONGEST_LINE = 10_000;

const tooLong = (line: number) => new AsiError("BAD_CSV", "The line is too long for a row.", { line });

// Lines of each chunk, without their ends. `nextLine`: the number of the first line that is not given yet.
async function* linesOf(chunks: AsyncIterable<Uint8Array>, nextLine: () => number): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
    // the lines before it have been counted by now
    if (rest.length > LONGEST_LINE) throw tooLong(nextLine());
  }
  yield [rest + decoder.decode()];
}

const NEEDED = ["timestamp", "latitude", "longitude", "speed"] as const;
const OPTIONAL = ["altitude", "hr"] as const;
type ColumnName = (typeof NEEDED)[number] | (typeof OPTIONAL)[number];

const LARGEST_INT = 2 ** 31 - 1;
// years 1 to 9999, as in a recording
const EARLIEST_MS = Date.parse("0001-01-01T00:00:00Z");
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Reads lines by the columns that the header line names. */
class LineReader {
  readonly #delimiter: string;
  readonly #hasDecimalComma: boolean;
  readonly #columns: Record<ColumnName, number>;

  constructor(header: string, line: number) {
    this.#delimiter = [";", "\t"].find((one) => header.includes(one)) ?? ",";
    this.#hasDecimalComma = this.#delimiter !== ",";
    const names = this.#split(header.replace(/^\uFEFF/, "")).map((name) => name.toLowerCase());
    const at = (name: ColumnName) => names.indexOf(name);
    this.#columns = {
      timestamp: at("timestamp"),
      latitude: at("latitude"),
      longitude: at("longitude"),
      speed: at("speed"),
      altitude: at("altitude"),
      hr: at("hr"),
    };
    const missing = NEEDED.filter((name) => this.#columns[name] < 0);
    if (missing.length > 0) {
      const message = `The header line lacks ${missing.join(", ")}; it must name timestamp, latitude, longitude and speed.`;
      throw new AsiError("BAD_CSV", message, { line });
    }
  }

  read(text: string, line: number, batch: SampleBatch, at: number): void {
    const fields = this.#split(text);
    const number = (name: ColumnName, scale: number, min: number, max: number): number | null => {
      const field = fields[this.#columns[name]] ?? "";
      if (field === "") return null;
      const value = Number(this.#hasDecimalComma ? field.replace(",", ".") : field);
      if (!(value >= min && value <= max)) {
        throw new AsiError(
          "BAD_CSV",
          `${name} is ${JSON.stringify(field.slice(0, 40))}; it must be a number from ${min} to ${max}.`,
          {
            line,
          },
        );
      }
      return Math.round(value * scale);
    };
    const needed = (name: ColumnName, scale: number, min: number, max: number): number => {
      const value = number(name, scale, min, max);
      if (value === null) throw new AsiError("BAD_CSV", `${name} is missing.`, { line });
      return value;
    };
    const altitude = number("altitude", 1000, -LARGEST_INT / 1000, LARGEST_INT / 1000);
    batch.timestampMs[at] = needed("timestamp", 1000, EARLIEST_MS / 1000, LATEST_MS / 1000);
    batch.latitudeE7[at] = needed("latitude", 1e7, -90, 90);
    batch.longitudeE7[at] = needed("longitude", 1e7, -180, 180);
    batch.speedMmPerS[at] = needed("speed", 1000, 0, LARGEST_INT / 1000);
    batch.altitudeMm[at] = altitude ?? 0;
    batch.fixType[at] = altitude === null ? 2 : 3;
    batch.hr[at] = number("hr", 1, 0, 255) ?? 0;
  }

  #split(line: string): string[] {
    return line.split(this.#delimiter).map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
  }
}
