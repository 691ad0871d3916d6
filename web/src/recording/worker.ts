import { AsiError, type SampleBatch } from "asi-convert";
import { drawTracks } from "../map/raster.js";
import type { Failure, Reply, Request, RequestName, Requests } from "./messages.js";
import { prepare } from "./prepare.js";
import { readFile } from "./read-file.js";
import type { Recording } from "./recording.js";

/** What the worker keeps of an open recording. */
interface OpenRecording {
  recording: Recording;
  rows: SampleBatch;
  file: File;
}

type Handlers = {
  [Name in RequestName]: (
    asked: Requests[Name]["asked"],
    onProgress: (progress: number) => void,
  ) => Requests[Name]["answered"] | Promise<Requests[Name]["answered"]>;
};

const open = new Map<number, OpenRecording>();
let lastId = 0;

const handlers: Handlers = {
  async open({ file, serial, origin }, onProgress) {
    const { batches, facts } = await readFile(file, { serial, onProgress });
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
    return findDamage(file, recording.facts.info?.serial ?? "UNKNOWN");
  },
  async save({ id, format, part }) {
    const { save } = await import("./save.js");
    const { recording, file, rows } = find(id);
    return save(recording.facts, file, rows, format, part);
  },
};

function find(id: number): OpenRecording {
  const found = open.get(id);
  if (found === undefined) throw new Error(`The recording ${id} is closed.`);
  return found;
}

const reply = (message: Reply, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  const { call, name, asked } = data;
  const onProgress = (progress: number) => reply({ call, progress });
  try {
    // the name and what is asked belong together, which the type of the table cannot say
    const answered = await (handlers[name] as (asked: unknown, onProgress: (n: number) => void) => unknown)(
      asked,
      onProgress,
    );
    reply({ call, answered }, answered instanceof Uint8ClampedArray ? [answered.buffer] : []);
  } catch (error) {
    reply({ call, failed: failureOf(error) });
  }
};

function failureOf(error: unknown): Failure {
  if (error instanceof AsiError) {
    const { code, message, byteOffset, line } = error;
    return { code, message, byteOffset: byteOffset ?? null, line: line ?? null };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: null, message, byteOffset: null, line: null };
}
