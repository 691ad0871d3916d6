import { AsiError, type SampleBatch } from "asi-convert";
import type { Origin } from "../map/projection.js";
import { drawTracks } from "../map/raster.js";
import type { Cancellation, Failure, Reply, Request, RequestName, Requests } from "./messages.js";
import { type FactsOfFile, prepare } from "./prepare.js";
import { readFile } from "./read-file.js";
import type { Recording } from "./recording.js";

/** What the worker keeps of an open recording. */
interface OpenRecording {
  recording: Recording;
  rows: SampleBatch;
  /** Null for what did not come from a file. */
  file: File | null;
}

type Handlers = {
  [Name in RequestName]: (
    asked: Requests[Name]["asked"],
    onProgress: (progress: number) => void,
    signal: AbortSignal,
  ) => Requests[Name]["answered"] | Promise<Requests[Name]["answered"]>;
};

const open = new Map<number, OpenRecording>();
let lastId = 0;

const handlers: Handlers = {
  async open({ file, serial, origin }, onProgress) {
    const { batches, facts } = await readFile(file, { serial, onProgress });
    return keep(batches, facts, file, origin);
  },
  async fetchRange({ range, origin }, onProgress, signal) {
    const { fetchRange } = await import("./fetch-range.js");
    const { batches, facts } = await fetchRange(range, { onProgress, signal });
    signal.throwIfAborted();
    return keep(batches, facts, null, origin);
  },
  // What is not needed for the first picture is loaded when it is asked for.
  async demonstrate({ number }) {
    const { demonstration } = await import("./demonstration.js");
    return demonstration(number);
  },
  close({ id }) {
    open.delete(id);
    return null;
  },
  draw({ drawing, recordings }) {
    return drawTracks(
      drawing,
      recordings.map(({ id, shown, number }) => ({ track: find(id).recording.track, shown, number })),
    );
  },
  async figures({ id, shown, settings }) {
    const { figuresOf } = await import("./figures.js");
    return figuresOf(find(id).rows, shown, settings);
  },
  async findDamage({ id }) {
    const { findDamage } = await import("./find-damage.js");
    const { file, recording } = find(id);
    if (file === null) return { places: [], hasMore: false };
    return findDamage(file, recording.facts.info?.serial ?? "UNKNOWN");
  },
  async save({ id, format, part }) {
    const { save } = await import("./save.js");
    const { recording, file, rows } = find(id);
    return save(recording.facts, file ?? new Blob([]), rows, format, part);
  },
};

function keep(
  batches: readonly SampleBatch[],
  facts: FactsOfFile,
  file: File | null,
  origin: Origin | null,
): Recording {
  const id = ++lastId;
  const prepared = prepare(id, batches, facts, origin ?? undefined);
  if (prepared.rows.length === 0) {
    throw new AsiError(
      "NO_SAMPLES",
      "The file has no row with a time and a position, so there is nothing to show. A receiver needs a view of the sky.",
    );
  }
  open.set(id, { ...prepared, file });
  return prepared.recording;
}

function find(id: number): OpenRecording {
  const found = open.get(id);
  if (found === undefined) throw new Error(`The recording ${id} is closed.`);
  return found;
}

const reply = (message: Reply, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

/** Of the requests that are being answered. */
const underWay = new Map<number, AbortController>();

self.onmessage = async ({ data }: MessageEvent<Request | Cancellation>) => {
  const { call } = data;
  if ("isCancelled" in data) {
    underWay.get(call)?.abort();
    return;
  }
  const { name, asked } = data;
  const controller = new AbortController();
  underWay.set(call, controller);
  const onProgress = (progress: number) => reply({ call, progress });
  try {
    // the name and what is asked belong together, which the type of the table cannot say
    const handler = handlers[name] as (
      asked: unknown,
      onProgress: (progress: number) => void,
      signal: AbortSignal,
    ) => unknown;
    const answered = await handler(asked, onProgress, controller.signal);
    reply({ call, answered }, answered instanceof Uint8ClampedArray ? [answered.buffer] : []);
  } catch (error) {
    reply({ call, failed: failureOf(error) });
  } finally {
    underWay.delete(call);
  }
};

function failureOf(error: unknown): Failure {
  if (error instanceof AsiError) {
    const { code, message, byteOffset, line } = error;
    return { code, message, byteOffset: byteOffset ?? null, line: line ?? null };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: codeOf(error), message, byteOffset: null, line: null };
}

/** The code of an error of the service. A name instead of the class: the client is loaded when it is needed. */
const codeOf = (error: unknown): string | null =>
  error instanceof Error && error.name === "ApiError"
    ? (error as Error & { code: string | null }).code
    : null;
