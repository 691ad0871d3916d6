/**
 * Measures the conversion of an upload: its duration in comparison with a bare server and with the library alone, and
 * the memory for a large upload.
 */
import { createWriteStream, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { convert } from "asi-convert";
import { readFileChunks } from "asi-convert/node";
import { Client } from "./client.js";
import { interleave, median } from "./measure.js";
import { type MeasuredService, startMeasuredService } from "./measured-service.js";
import { recordingOf } from "./sessions.js";

const PATH = "/api/v2/files/asi-to-csv/";

/** Writes a recording of `samples` samples to a file. */
export const writeRecording = (file: string, samples: number): Promise<void> =>
  pipeline(Readable.fromWeb(recordingOf(samples) as NodeReadableStream<Uint8Array>), createWriteStream(file));

/** Medians of the durations, ms. */
export interface ConversionFigures {
  overHttp: number;
  library: number;
  /** Time for an upload and a CSV of the same sizes through a bare server. */
  bare: number;
}

const BARE_PATH = "/bare/";

export async function measureConversion(
  service: MeasuredService,
  file: string,
  rounds: number,
): Promise<ConversionFigures> {
  const client = new Client(service);
  try {
    const csv = await libraryAlone(file);
    const { bytes } = await client.upload(PATH, file);
    if (bytes !== csv.length) throw new Error(`conversion: ${bytes} bytes instead of ${csv.length}`);
    writeFileSync(`${file}.csv`, csv);
    await service.ask("serve", { path: BARE_PATH, file: `${file}.csv` }, 10_000);
    const times = await interleave(
      {
        overHttp: async () => (await client.upload(PATH, file)).ms,
        bare: async () => (await client.upload(BARE_PATH, file)).ms,
        library: async () => {
          const begin = performance.now();
          for await (const _piece of convert(readFileChunks(file)).body);
          return performance.now() - begin;
        },
      },
      rounds,
      Math.ceil(rounds / 3),
    );
    return {
      overHttp: median(times.overHttp),
      library: median(times.library),
      bare: median(times.bare),
    };
  } finally {
    client.close();
  }
}

/** Converts the file to CSV with the library. */
async function libraryAlone(file: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of convert(readFileChunks(file)).body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Returns the median growth of a newly started service while it converts a large upload, MB. */
export async function measureUploadMemory(
  databases: readonly (string | null)[],
  file: string,
): Promise<number> {
  const growthsMb: number[] = [];
  for (const databaseUrl of databases) {
    const service = await startMeasuredService(databaseUrl);
    const client = new Client(service);
    try {
      const beforeMb = service.markMemory();
      await client.upload(PATH, file);
      growthsMb.push(service.peakMemory() - beforeMb);
    } finally {
      client.close();
      await service.stop();
    }
  }
  return median(growthsMb);
}
