/** Measures downloads of all samples of a device over HTTP with one connection. */
import { Client } from "./client.js";
import { interleave, median } from "./measure.js";
import type { Stored } from "./reading.js";
import { SESSION_SAMPLES } from "./sessions.js";

const FORMATS = ["csv", "jsonl", "parquet", "arrow"] as const;

/** The last bytes of a complete file: the magic number of Parquet, the end marker of an Arrow stream. */
const ENDS = { parquet: Buffer.from("PAR1"), arrow: Buffer.from("ffffffff00000000", "hex") };

/** Medians. */
export interface DownloadFigures {
  samplesPerS: Record<(typeof FORMATS)[number], number>;
  /** Samples per second of all devices as one Parquet file. */
  allSamplesPerS: number;
  /** Growth of the memory of the process, over all downloads. */
  growthMb: number;
}

export async function measureDownloads(
  { service, load: { device }, sessions }: Stored,
  rounds: number,
): Promise<DownloadFigures> {
  const client = new Client(service);
  const pathOf = (format: string) => `/api/v2/devices/${device}/samples/?format=${format}`;
  const samples = sessions * SESSION_SAMPLES;
  try {
    const rowsOf = async (path: string) =>
      (await client.get(path)).reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), -1);
    const rows = await rowsOf(pathOf("csv"));
    if (rows !== samples) throw new Error(`The CSV has ${rows} rows of ${samples}`);
    for (const [format, end] of Object.entries(ENDS)) {
      const file = await client.get(pathOf(format));
      if (!file.subarray(-end.length).equals(end)) throw new Error(`The ${format} file is truncated`);
    }
    const allSamples = await rowsOf("/api/v2/samples/");
    const before = service.markMemory();
    const cases: Record<string, () => Promise<number>> = {
      ...Object.fromEntries(FORMATS.map((name) => [name, () => client.time(pathOf(name))])),
      all: () => client.time("/api/v2/samples/?format=parquet"),
    };
    const times = await interleave(cases, rounds, 1);
    const rate = (name: string, of = samples) => (of / median(times[name] ?? [])) * 1000;
    return {
      samplesPerS: {
        csv: rate("csv"),
        jsonl: rate("jsonl"),
        parquet: rate("parquet"),
        arrow: rate("arrow"),
      },
      allSamplesPerS: rate("all", allSamples),
      growthMb: service.peakMemory() - before,
    };
  } finally {
    client.close();
  }
}
