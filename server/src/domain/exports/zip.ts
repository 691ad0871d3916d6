import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { currentCaller, onBehalfOf } from "../../fairness/callers.js";

/** A file of an archive. Its content is read when the archive has come to it. */
export interface ZipEntry {
  name: string;
  content: AsyncIterable<Uint8Array | string>;
}

/** Fast: positions compress to a third either way. */
const COMPRESSION_LEVEL = 3;

/**
 * A zip archive as a stream. The files are read one after the other, as fast as the stream is, so the memory does not depend on
 * their number and size. An error of a file destroys the stream, which then has no end, so that no one takes it for complete.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  write(zip, output, entries).catch((error: Error) => output.destroy(error));
  return output;
}

async function write(zip: ZipFile, output: Readable, entries: AsyncIterable<ZipEntry>): Promise<void> {
  for await (const entry of entries) {
    if (output.destroyed) return;
    await addEntry(zip, output, entry);
  }
  zip.end();
}

/** Waits until the content has been read. When the reader of the archive leaves, the content is abandoned. */
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

/** A stream is read in the context of its reader; its queries take the turns of the caller who asked for it. */
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
