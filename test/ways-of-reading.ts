import {
  AsiCsvStream,
  AsiDecoderStream,
  convert,
  type DecodeOptions,
  decode,
  decodeRows,
  repair,
} from "../src/index.js";
import { chunks, streamOf } from "./watched-source.js";

// All functions that read on demand and return promises, with all ways to read their results or leave them unread.

/** A reading of 50 chunks that has not started. */
interface Begun<R> {
  readable: R;
  /** Further promises of the function. */
  promises: Record<string, Promise<unknown>>;
}

type Verb<R> = (options: DecodeOptions) => Begun<R>;

const piped = <T>(transform: ReadableWritablePair<T, Uint8Array>) =>
  streamOf(chunks).pipeThrough(transform) as ReadableStream<unknown>;

const STREAM_VERBS: Record<string, Verb<ReadableStream<unknown>>> = {
  convert(options) {
    const { body: csv, body, mediaType, ...promises } = convert(chunks, options);
    return { readable: csv, promises };
  },
  "convert to another layout"(options) {
    const { body: csv, body, mediaType, ...promises } = convert(chunks, { ...options, delimiter: ";" });
    return { readable: csv, promises };
  },
  repair({ signal }) {
    const { recording, ...promises } = repair(chunks, { signal });
    return { readable: recording, promises };
  },
  AsiCsvStream(options) {
    const transform = new AsiCsvStream(options);
    const { info, report, fileName } = transform;
    return { readable: piped(transform), promises: { info, report, fileName } };
  },
  AsiDecoderStream(options) {
    const transform = new AsiDecoderStream(options);
    const { info, report } = transform;
    return { readable: piped(transform), promises: { info, report } };
  },
};

const ITERABLE_VERBS: Record<string, Verb<AsyncIterable<unknown>>> = {
  decode(options) {
    const decoding = decode(chunks, options);
    return { readable: decoding, promises: { info: decoding.info, report: decoding.report } };
  },
  decodeRows(options) {
    const decoding = decodeRows(chunks, options);
    return { readable: decoding, promises: { info: decoding.info, report: decoding.report } };
  },
};

/** `held` means that the caller may continue to read, so the promise stays pending. */
type Outcome = "NOT_READ" | "ABORTED" | "held" | "fulfilled";

interface Way<R> {
  outcome: Outcome;
  /** Whether the header has been read, so that `info` is fulfilled in any case. */
  readsHeader?: boolean;
  act(readable: R, control: AbortController): unknown;
}

const WAYS_WITH_STREAMS: Record<string, Way<ReadableStream<unknown>>> = {
  "is never touched": { outcome: "NOT_READ", act() {} },
  "has a reader that never reads": { outcome: "held", act: (stream) => stream.getReader() },
  "has a reader that is released unused": {
    outcome: "NOT_READ",
    act: (stream) => stream.getReader().releaseLock(),
  },
  "is read once and held": {
    outcome: "held",
    readsHeader: true,
    act: (stream) => stream.getReader().read(),
  },
  "is read once and released": {
    outcome: "NOT_READ",
    readsHeader: true,
    async act(stream) {
      const reader = stream.getReader();
      await reader.read();
      reader.releaseLock();
    },
  },
  "has an iterator that is never advanced": {
    outcome: "held",
    act: (stream) => stream[Symbol.asyncIterator](),
  },
  "has branches that nobody reads to the end": {
    outcome: "held",
    readsHeader: true,
    act: (stream) => stream.tee(),
  },
  "is left early by a loop": { outcome: "ABORTED", readsHeader: true, act: leave },
  "is left early by a loop that keeps it": {
    outcome: "NOT_READ",
    readsHeader: true,
    async act(stream) {
      for await (const _ of stream.values({ preventCancel: true })) break;
    },
  },
  "is cancelled": { outcome: "ABORTED", act: (stream) => stream.cancel() },
  "is cancelled by its reader in the middle": {
    outcome: "ABORTED",
    readsHeader: true,
    async act(stream) {
      const reader = stream.getReader();
      await reader.read();
      await reader.cancel();
    },
  },
  "is aborted untouched": { outcome: "ABORTED", act: (_, control) => control.abort() },
  "is aborted while a reader is held": {
    outcome: "ABORTED",
    act(stream, control) {
      stream.getReader();
      setImmediate(() => control.abort());
    },
  },
  "is aborted between two reads": {
    outcome: "ABORTED",
    readsHeader: true,
    async act(stream, control) {
      await stream.getReader().read();
      setImmediate(() => control.abort());
    },
  },
  "is read to its end": { outcome: "fulfilled", readsHeader: true, act: drain },
};

const WAYS_WITH_ITERABLES: Record<string, Way<AsyncIterable<unknown>>> = {
  "is never touched": { outcome: "NOT_READ", act() {} },
  "has an iterator that is never advanced": {
    outcome: "NOT_READ",
    act: (values) => values[Symbol.asyncIterator](),
  },
  "is advanced once and held": {
    outcome: "held",
    readsHeader: true,
    act: (values) => values[Symbol.asyncIterator]().next(),
  },
  "is left early by a loop": { outcome: "ABORTED", readsHeader: true, act: leave },
  "is aborted untouched": { outcome: "ABORTED", act: (_, control) => control.abort() },
  "is aborted between two steps": {
    outcome: "ABORTED",
    readsHeader: true,
    async act(values, control) {
      await values[Symbol.asyncIterator]().next();
      setImmediate(() => control.abort());
    },
  },
  "is iterated to its end": { outcome: "fulfilled", readsHeader: true, act: drain },
};

async function leave(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values) break;
}

async function drain(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values);
}

/** One promise of one function, read in one way. */
export interface Wait {
  name: string;
  expected: Outcome;
  /** Starts, reads in that way, and returns the promise; `held` must be kept alive in the meantime. */
  begin(): Promise<{ promise: Promise<unknown>; held: unknown }>;
}

/** All combinations. */
export const WAITS: readonly Wait[] = [
  ...waitsOf(STREAM_VERBS, WAYS_WITH_STREAMS),
  ...waitsOf(ITERABLE_VERBS, WAYS_WITH_ITERABLES),
];

function waitsOf<R>(verbs: Record<string, Verb<R>>, ways: Record<string, Way<R>>): Wait[] {
  return Object.entries(verbs).flatMap(([verb, begin]) =>
    Object.entries(ways).flatMap(([how, way]) =>
      Object.keys(begin({}).promises).map((key) => ({
        name: `${key} of ${verb}, which ${how}`,
        expected: key === "info" && way.readsHeader === true ? ("fulfilled" as const) : way.outcome,
        async begin() {
          const control = new AbortController();
          const { readable, promises } = begin({ signal: control.signal });
          const held = [readable, await way.act(readable, control)];
          return { promise: promises[key] as Promise<unknown>, held };
        },
      })),
    ),
  );
}
