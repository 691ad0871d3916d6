import type { WaveformWriter } from "../../waveform-files/waveform-writer.js";

const LINES_PER_PIECE = 4096;

/**
 * Writes a line of text for each item of a batch.
 *
 * @param header the first line; empty if there is none
 */
export function lineWriter<B extends { length: number }>(
  header: string,
  line: (batch: B, index: number) => string,
): WaveformWriter<B> {
  const encoder = new TextEncoder();
  let text = header;
  return {
    *batch(batch) {
      for (let from = 0; from < batch.length; from += LINES_PER_PIECE) {
        const to = Math.min(from + LINES_PER_PIECE, batch.length);
        for (let i = from; i < to; i++) text += line(batch, i);
        yield encoder.encode(text);
        text = "";
      }
    },
    *end() {
      if (text !== "") yield encoder.encode(text);
    },
  };
}

/** Milliseconds as seconds with three decimals. */
export function seconds(ms = 0): string {
  return (Math.round(ms) / 1000).toFixed(3);
}
