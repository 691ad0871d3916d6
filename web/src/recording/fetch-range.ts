import { ApiError, createClient, type Resource, unwrap } from "asi-client";
import { AsiError, type SampleBatch } from "asi-convert";
import { ReadingError } from "./calls.js";
import type { DeviceRange } from "./device-range.js";
import { rangeFileName } from "./file-names.js";
import type { RecordingContent } from "./read-file.js";
import { refusalInWords } from "./service-words.js";

export type { DeviceRange };

interface Options {
  /** Called with the number of samples received so far. */
  onProgress: (samples: number) => void;
  signal: AbortSignal;
}

/** The limit of the service for the length of a page. */
const PAGE = 25_000;
/** The maximum period of one request. */
const LONGEST_MS = 2 * 86_400_000;

/**
 * Fetches the samples of a range with the session of the page. Each page begins after the last sample of the previous one. Samples that
 * are stored in the meantime therefore cause no losses or duplicates.
 *
 * @throws ReadingError with the code of the service, or `AWAY`; AsiError `NO_SAMPLES` if the service has none; the abort reason of signal
 */
export async function fetchRange(
  range: DeviceRange,
  { onProgress, signal }: Options,
): Promise<RecordingContent> {
  const client = createClient({ baseUrl: range.serviceAddress, session: true });
  const batches: SampleBatch[] = [];
  let samples = 0;
  let start = range.startMs;
  while (start <= range.stopMs) {
    const stop = Math.min(range.stopMs, start + LONGEST_MS);
    const page = await unwrap(
      client.GET("/api/v1/devices/{device}/preprocessed-data/", {
        params: {
          path: { device: range.device.id },
          query: { start: String(start), stop: String(stop), limit: PAGE },
        },
        signal,
      }),
    ).catch((error: unknown) => {
      throw inWords(error);
    });
    const batch = columnsOf(page.results);
    batches.push(batch);
    samples += batch.length;
    onProgress(samples);
    start = (page.next === null ? stop : (batch.timestampMs[batch.length - 1] ?? stop)) + 1;
  }
  if (samples === 0) {
    const message =
      "The service no longer has samples of this time. Go back to the calendar, and load it again.";
    throw new AsiError("NO_SAMPLES", message);
  }
  return { batches, facts: factsOf(range) };
}

/** Replaces a browser message, such as "Failed to fetch", because it does not tell the user what to do. */
function inWords(error: unknown): unknown {
  const failure = { byteOffset: null, line: null };
  // Each response of the service has a request id. A response without it comes from a proxy.
  const isBefore = error instanceof ApiError && error.status >= 500 && error.requestId === null;
  if (isBefore || error instanceof TypeError) {
    const message = "The service does not respond. Open the range again when it is back.";
    return new ReadingError({ ...failure, code: "AWAY", message });
  }
  if (error instanceof ApiError) {
    return new ReadingError({ ...failure, code: error.code, message: refusalInWords(error) });
  }
  return error;
}

function columnsOf(samples: readonly Resource["RawDataSample"][]): SampleBatch {
  const { length } = samples;
  const batch: SampleBatch = {
    length,
    timestampMs: new Float64Array(length),
    latitudeE7: new Int32Array(length),
    longitudeE7: new Int32Array(length),
    altitudeMm: new Int32Array(length),
    speedMmPerS: new Int32Array(length),
    hr: new Uint8Array(length),
    fixType: new Uint8Array(length),
  };
  for (const [i, sample] of samples.entries()) {
    const altitude = sample["gnss.altitude"];
    batch.timestampMs[i] = sample["gnss.timestamp"];
    batch.latitudeE7[i] = Math.round(sample["gnss.latitude"] * 1e7);
    batch.longitudeE7[i] = Math.round(sample["gnss.longitude"] * 1e7);
    batch.altitudeMm[i] = Math.round((altitude ?? 0) * 1e3);
    batch.speedMmPerS[i] = Math.round(sample["gnss.speed"] * 1e3);
    batch.hr[i] = sample["ecg.hr"] ?? 0;
    batch.fixType[i] = altitude === null ? 2 : 3;
  }
  return batch;
}

function factsOf(range: DeviceRange): RecordingContent["facts"] {
  const { device } = range;
  return {
    fileName: rangeFileName(range),
    fileBytes: 0,
    kind: "service",
    info: {
      serial: device.serial,
      deviceName: device.name,
      deviceType: device.type,
      firmwareVersion: "",
      periodMs: 0,
      formatVersion: null,
    },
    report: null,
    cutOff: null,
    engine: null,
    notes: [],
  };
}
