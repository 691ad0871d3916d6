import type { EngineSettings, RangeBreak } from "../../src/engine/engine.js";
import { concatenate } from "../../src/sources/concatenate.js";
import type { SampleBatch } from "../../src/types.js";
import { csvLine } from "./csv-line.js";
import type { Quality } from "./gnss-fix.js";
import { type Sample, toColumns, toQuality } from "./sample.js";

/** The requested output of one step. */
export class StepOutput {
  readonly #output: EngineSettings["output"];
  readonly #hasQuality: boolean;
  #csv = "";
  #samples: (Sample & Quality)[] = [];
  #frames: Uint8Array[] = [];
  #rangeBreaks: RangeBreak[] = [];

  constructor({ output, quality }: EngineSettings) {
    this.#output = output;
    this.#hasQuality = quality;
  }

  /** @param opensRange whether the row is the first one, or in a different range than the previous produced row. */
  addSample(sample: Sample & Quality, opensRange: boolean): void {
    if (this.#output === "csv") {
      if (opensRange) this.#rangeBreaks.push({ outputOffset: this.#csv.length });
      this.#csv += csvLine(sample);
    } else if (this.#output === "columns") {
      if (opensRange) this.#rangeBreaks.push({ outputOffset: this.#samples.length });
      this.#samples.push(sample);
    }
  }

  /** @param bytes a whole frame; not copied before `frames` is called. */
  addFrame(bytes: Uint8Array): void {
    if (this.#output === "frames") this.#frames.push(bytes);
  }

  csv(): Uint8Array {
    return new TextEncoder().encode(this.#csv);
  }

  columns(): SampleBatch {
    return {
      ...toColumns(this.#samples),
      ...(this.#hasQuality && { quality: toQuality(this.#samples) }),
    };
  }

  frames(): Uint8Array {
    return concatenate(this.#frames);
  }

  rangeBreaks(): RangeBreak[] {
    return this.#rangeBreaks;
  }
}
