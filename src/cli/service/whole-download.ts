import { endedEarly } from "./client.js";

/** The formats of downloaded samples. */
export type PullFormat = "parquet" | "csv" | "jsonl";

/**
 * Checks that a download is complete while it is read.
 *
 * @param onBytes called with the number of bytes of each part
 * @throws DescribedError as the error of the stream if its end is not the end of a file in this format
 */
export function whole(
  body: ReadableStream<Uint8Array>,
  format: PullFormat,
  onBytes: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  let end: Uint8Array = new Uint8Array();
  const end4 = (bytes: Uint8Array) => Uint8Array.from([...end, ...bytes.subarray(-4)]).slice(-4);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        onBytes(bytes.length);
        end = end4(bytes);
        controller.enqueue(bytes);
      },
      flush() {
        const text = new TextDecoder().decode(end);
        const isWhole = format === "parquet" ? text === "PAR1" : text === "" || text.endsWith("\n");
        if (!isWhole) throw endedEarly();
      },
    }),
  );
}
