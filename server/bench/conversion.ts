/** Conversion of an upload: its time beside the library's own, and what a great one costs in memory. */
import { createWriteStream } from "node:fs";
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

/** Writes a recording of `samples` samples into a file. */
export const writeRecording = (file: string, samples: number): Promise<void> =>
  pipeline(Readable.fromWeb(recordingOf(samples) as NodeReadableStream<Uint8Array>), createWriteStream(file));

/** Medians, ms. */
export interface ConversionFigures {
  overHttp: number;
  library: number;
}

export async function measureConversion(
  service: MeasuredService,
  file: string,
  rounds: number,
): Promise<ConversionFigures> {
  const client = new Client(service);
  try {
    const csvBytes = await libraryAlone(file);
    const { bytes } = await client.upload(PATH, file);
    if (bytes !== csvBytes) throw new Error(`conversion: ${bytes} bytes instead of ${csvBytes}`);
    const times = await interleave(
      {
        overHttp: async () => (await client.upload(PATH, file)).ms,
        library: async () => {
          const begin = performance.now();
          await libraryAlone(file);
          return performance.now() - begin;
        },
      },
      rounds,
      Math.ceil(rounds / 3),
    );
    return { overHttp: median(times.overHttp), library: median(times.library) };
  } finally {
    client.close();
  }
}

/** The library converts the file; @returns bytes of the CSV */
async function libraryAlone(file: string): Promise<number> {
  let bytes = 0;
  for await (const piece of convert(readFileChunks(file)).csv) bytes += piece.length;
  return bytes;
}

/** How much a service that has just started grows while it converts a great upload, MB, median. */
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
