import { optionNames, requireOptions, shown } from "../arguments.js";
import { prepareEngine } from "../engine/engines.js";
import { AsiError } from "../errors.js";
import { LABELLED_FORMATS, type LabelledFormatName } from "../formats/labelled-rows.js";
import { checkBatch } from "../rows/sample-batch.js";
import { type Allocate, copies } from "../sources/copies.js";
import type { SampleBatch } from "../types.js";
import { sharedRowWriter } from "./format-samples.js";
import { requireWritableTimes } from "./samples-text.js";

/** Samples with the same texts, such as the samples of one player. */
export interface LabelledSamples {
  /** A text for each name in the options. All texts together must be less than 3 kB in UTF-8. */
  labels: readonly string[];
  samples: Iterable<SampleBatch> | AsyncIterable<SampleBatch>;
}

export interface FormatLabelledOptions {
  format: LabelledFormatName;
  /** Names of the text columns, which precede the other columns. */
  labels: readonly string[];
  /** Name and version of the columns, in the metadata of Parquet files. */
  schema: string;
  /**
   * Returns memory of at least `length` bytes, which are at most 64 KiB, with any content. Default: new memory. A piece of the
   * output changes when its memory is returned again.
   */
  allocate?: Allocate | undefined;
}

const OPTIONS = optionNames<FormatLabelledOptions>({
  format: true,
  labels: true,
  schema: true,
  allocate: true,
});

/**
 * Writes samples of several devices or people as one file: rows as in `formatSamples`, with additional columns at the start that
 * identify their origin. The whole file is never in memory.
 *
 * @param groups in the order of the file; each group is read once, when the previous one has been written
 * @returns the pieces of the file, each in separate memory, unless `allocate` returns the same memory again
 * @throws AsiError `BAD_OPTION`; `BAD_ARGUMENT` for invalid samples; any error of `groups`
 */
export async function* formatLabelledSamples(
  groups: Iterable<LabelledSamples> | AsyncIterable<LabelledSamples>,
  options: FormatLabelledOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  requireOptions(options, OPTIONS);
  const { format, labels: names, schema, allocate } = options;
  if (!LABELLED_FORMATS.includes(format)) {
    throw new AsiError(
      "BAD_OPTION",
      `format is ${shown(format)}; use one of ${LABELLED_FORMATS.join(", ")}.`,
    );
  }
  await prepareEngine(undefined);
  const { openLabelled } = await import("../formats/open-labelled.js");
  const writer = openLabelled(format, { schema, names }, sharedRowWriter);
  for await (const { labels, samples } of groups) {
    if (labels.length !== names.length) {
      throw new AsiError("BAD_ARGUMENT", `labels has ${labels.length} texts for ${names.length} names.`);
    }
    yield* copies(writer.startGroup(labels), allocate);
    for await (const batch of samples) {
      checkBatch(batch);
      requireWritableTimes(batch);
      if (batch.length > 0) yield* copies(writer.rows(batch, 0, batch.length), allocate);
    }
  }
  yield* copies(writer.end(), allocate);
}
