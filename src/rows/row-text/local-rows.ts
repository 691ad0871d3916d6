import type { SampleBatch } from "../../types.js";
import { offsetText, TimeZone } from "../time-zone.js";
import { type RowTemplate, rowTemplate, type TemplatePart } from "./template.js";

/** The template for a sequence of rows, and the end of the sequence. */
export interface RowsOfTemplate {
  readonly template: RowTemplate;
  /** The end of these rows, exclusive. */
  readonly end: number;
}

/** Templates for rows with local times: one for each UTC offset. */
export class LocalRows {
  readonly #zone: TimeZone;
  readonly #partsFor: (offset: string) => readonly TemplatePart[];
  readonly #templates = new Map<number, RowTemplate>();

  /**
   * @param zone null for UTC
   * @param partsFor the parts of a template for an offset such as `+02:00`
   */
  constructor(zone: TimeZone | null, partsFor: (offset: string) => readonly TemplatePart[]) {
    this.#zone = zone ?? new TimeZone("UTC");
    this.#partsFor = partsFor;
  }

  /** Returns the template of row `from`, and the end of the rows with the same offset. */
  next({ timestampMs }: SampleBatch, from: number, to: number): RowsOfTemplate {
    const { fromMs, toMs, offsetMs } = this.#zone.periodAt(timestampMs[from] ?? 0);
    let end = from + 1;
    for (; end < to; end++) {
      const ms = timestampMs[end] ?? 0;
      if (ms < fromMs || ms >= toMs) break;
    }
    return { template: this.#templateFor(offsetMs), end };
  }

  #templateFor(offsetMs: number): RowTemplate {
    let template = this.#templates.get(offsetMs);
    if (template === undefined) {
      template = rowTemplate(this.#partsFor(offsetText(offsetMs)), offsetMs);
      this.#templates.set(offsetMs, template);
    }
    return template;
  }
}
