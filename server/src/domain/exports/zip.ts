import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";

/** File of an archive. Its content is read when the archive reaches it. */
export interface ZipEntry {
  name: string;
  content: AsyncIterable<Uint8Array | string>;
}

/** A fast level, because positions compress to a third at any level. */
const COMPRESSION_LEVEL = 3;

/**
 * Creates a zip archive as a stream. The files are read one after another, as fast as the stream is consumed, so memory does not
 * depend on their size. An entry for each file stays in memory until the end, so limit their number. An error in a file destroys
 * the stream, so that the archive is recognisably incomplete.
 * @param entries `null` while the next file is being searched for, so that the search ends if nobody reads the archive
 */
export function zipOf(entries: AsyncIterable<ZipEntry | null>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  write(zip, output, entries).catch((error: Error) => output.destroy(error));
  return output;
}

async function write(zip: ZipFile, output: Readable, entries: AsyncIterable<ZipEntry | null>): Promise<void> {
  for await (const entry of entries) {
    if (output.destroyed) return;
    if (entry !== null) await addEntry(zip, output, entry);
  }
  zip.end();
}

/** Waits until the content has been read. When the reader of the archive stops, the content is abandoned. */
function addEntry(zip: ZipFile, output: Readable, { name, content }: ZipEntry): Promise<void> {
  return new Promise((done, reject) => {
    const source = Readable.from(forSameCaller(content), { objectMode: false });
    const giveUp = () => source.destroy();
    output.once("close", giveUp);
    source.once("error", reject);
    source.once("close", () => {
      output.off("close", giveUp);
      done();
    });
    zip.addReadStream(source, name, { compressionLevel: COMPRESSION_LEVEL, mode: 0o100600 });
  });
}

/**
 * Runs the iterator in the context of the caller, so that its queries wait in the caller's queue. A stream would otherwise run it
 * in the context of its reader.
 */
function forSameCaller<T>(content: AsyncIterable<T>): AsyncIterable<T> {
  const caller = currentCaller();
  return {
    [Symbol.asyncIterator]() {
      const iterator = content[Symbol.asyncIterator]();
      return {
        next: () => onBehalfOf(caller, () => iterator.next()),
        return: async (value?: unknown) => (await iterator.return?.(value)) ?? { done: true, value },
      };
    },
  };
}
