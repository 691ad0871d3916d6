import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FORMAT_NAMES, type FormatName } from "../src/index.js";
import { makeRecording } from "./data.js";
import { loadLibrary } from "./library.js";
import { ASI, isInstalled, peakMemory, processorTime } from "./processes.js";
import { align } from "./table.js";

/**
 * Measures the table of formats: rows written and read per second of processor time, compared with gpsbabel if it is installed, and the
 * peak memory of `asi convert` for 1.5 million rows. Processor time is measured because it varies least when the machine has other work.
 */

const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const ROWS = options.quick ? 200_000 : 1_500_000;
const GPSBABEL_ROWS = options.quick ? 20_000 : 100_000;
const RUNS = 7;
/** The target for reading text formats, rows per second of processor time. */
const READING_TARGET = 1e6;

/** Names of the formats in gpsbabel. */
const GPSBABEL: Partial<Record<FormatName, string>> = {
  gpx: "gpx,garminextensions",
  tcx: "gtrnctr",
  fit: "garmin_fit",
  geojson: "geojson",
  kml: "kml,track=1",
};
const TRACKS = ["gpx", "tcx", "fit"] as const;

const { convert, decode, decodeTrack } = await loadLibrary();
// 102.4 is the number of bytes per row in a session
const main = makeRecording(ROWS * 102.4);
const slice = makeRecording(GPSBABEL_ROWS * 102.4);
const folder = mkdtempSync(join(tmpdir(), "asi-bench-formats-"));
try {
  const load = loadavg()[0] ?? 0;
  const hasGpsbabel = await isInstalled("gpsbabel", "-V");
  const path = join(folder, "main.asi");
  writeFileSync(path, main.bytes);
  const csvOfGpsbabel = join(folder, "rows.csv");
  if (hasGpsbabel) writeFileSync(csvOfGpsbabel, await unicsv(slice.bytes));
  console.log(`${main.rows} rows; node ${process.versions.node}; load ${load.toFixed(1)} before the start`);
  const lines = [
    ["format", "rows/s written", "× gpsbabel", "bytes a row", "peak memory", "rows/s read", "× gpsbabel"],
  ];
  const targets: string[] = [];
  for (const format of FORMAT_NAMES) {
    const output = join(folder, `out.${format}`);
    const written = main.rows / (await bestOf(() => drain(main.bytes, format)));
    const peak = await peakMemory([ASI, "convert", path, "-o", output, "--force"]);
    const bytesPerRow = statSync(output).size / main.rows;
    const theirs = await gpsbabelWrites(format, csvOfGpsbabel, hasGpsbabel);
    const [read, theirRead] = await reading(format, hasGpsbabel);
    lines.push([
      format,
      millions(written),
      theirs === null ? "" : (written / theirs).toFixed(1),
      bytesPerRow.toFixed(bytesPerRow < 10 ? 2 : 0),
      `${Math.round(peak / 1e6)} MB`,
      read === null ? "" : millions(read),
      read === null || theirRead === null ? "" : (read / theirRead).toFixed(1),
    ]);
    if (read !== null && format !== "fit")
      targets.push(
        `Reading ${format}: ${millions(read)} rows/s, target ${millions(READING_TARGET)}, ${read >= READING_TARGET ? "reached" : "missed"}.`,
      );
    rmSync(output);
  }
  console.log(align(lines, (column) => column > 0));
  for (const target of targets) console.log(target);
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Returns the number of rows that gpsbabel writes per second of processor time; null if it is not installed or does not support the format.
 */
async function gpsbabelWrites(format: FormatName, csv: string, hasGpsbabel: boolean): Promise<number | null> {
  const name = GPSBABEL[format];
  if (!hasGpsbabel || name === undefined) return null;
  const file = join(folder, `gpsbabel.${format}`);
  const time = await processorTime("gpsbabel", [
    "-t",
    "-i",
    "unicsv,utc=0",
    "-f",
    csv,
    "-o",
    name,
    "-F",
    file,
  ]);
  return slice.rows / time;
}

/**
 * Returns the number of rows that `decodeTrack` and gpsbabel read per second of processor time; null without such a track or without
 * gpsbabel.
 */
async function reading(format: FormatName, hasGpsbabel: boolean): Promise<[number | null, number | null]> {
  const track = TRACKS.find((name) => name === format);
  if (track === undefined) return [null, null];
  const bytes = await whole(slice.bytes, format);
  const ours = await bestOf(async () => {
    for await (const _ of decodeTrack(bytes));
  });
  if (!hasGpsbabel) return [slice.rows / ours, null];
  const path = join(folder, `slice.${format}`);
  writeFileSync(path, bytes);
  const name = (GPSBABEL[format] ?? format).split(",")[0] ?? "";
  const args = ["-t", "-i", name, "-f", path, "-o", "unicsv", "-F", "/dev/null"];
  return [slice.rows / ours, slice.rows / (await processorTime("gpsbabel", args))];
}

/** Returns the minimum processor time of several runs in this process, s. */
async function bestOf(run: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

async function drain(recording: Uint8Array, format: FormatName): Promise<void> {
  const reader = convert(recording, { format }).body.getReader();
  while (!(await reader.read()).done);
}

async function whole(recording: Uint8Array, format: FormatName): Promise<Uint8Array> {
  return new Uint8Array(await new Response(convert(recording, { format }).body).arrayBuffer());
}

/** Converts the rows to gpsbabel's universal CSV. */
async function unicsv(recording: Uint8Array): Promise<string> {
  const lines = ["date,time,lat,lon,alt,speed,heartrate"];
  for await (const batch of decode(recording)) {
    for (let i = 0; i < batch.length; i++) {
      const iso = new Date(batch.timestampMs[i] as number).toISOString();
      const [latitude, longitude] = [batch.latitudeE7[i] as number, batch.longitudeE7[i] as number];
      const [altitude, speed] = [batch.altitudeMm[i] as number, batch.speedMmPerS[i] as number];
      lines.push(
        `${iso.slice(0, 10).replaceAll("-", "/")},${iso.slice(11, 23)},${latitude / 1e7},${longitude / 1e7},${altitude / 1e3},${speed / 1e3},${batch.hr[i] || ""}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

function millions(rowsPerS: number): string {
  return `${(rowsPerS / 1e6).toPrecision(2)} M`;
}
