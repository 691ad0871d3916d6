import { type StaticDecode, Type } from "@sinclair/typebox";
import { formatLabelledSamples, type LabelledFormatName, type LabelledSamples } from "asi-convert";
import type { Interval, SampleColumns } from "../../store/samples/index.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { Query } from "../../wire/types.js";
import { errors } from "../change/errors.js";
import { type Allocate, arrowStream } from "./arrow-stream.js";

/**
 * Sample file formats with their media types, in order of preference for clients that state none.
 */
export const SAMPLE_FILE_TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
} as const satisfies Record<LabelledFormatName | "arrow", string>;

export type SampleFileFormat = keyof typeof SAMPLE_FILE_TYPES;

/** Format of a file, and the memory for its pieces. */
export interface FileForm {
  format: SampleFileFormat;
  /** Default: new memory for each piece. */
  allocate?: Allocate;
  /** Called with the number of samples before they are written into the file. */
  count?(samples: number): void;
}

const FORMATS = Object.keys(SAMPLE_FILE_TYPES) as SampleFileFormat[];

export const SampleFileQuery = Type.Object({
  from: Query.dateTime("Only samples from this time on"),
  to: Query.dateTime("Only samples before this time"),
  format: Type.Optional(
    Type.Union(
      FORMATS.map((name) => Type.Literal(name)),
      { description: "The format; takes precedence over `Accept`" },
    ),
  ),
});

/** Returns the extension of the file name. Arrow streams use `.arrows` (Apache Arrow, "Columnar Format"). */
export const extensionOf = (format: SampleFileFormat): string => (format === "arrow" ? "arrows" : format);

/**
 * Writes samples with text columns as a file in pieces.
 * @param options.schema name and version of the columns
 */
export function sampleFile(
  groups: AsyncIterable<LabelledSamples>,
  { format, allocate, schema, labels }: FileForm & { schema: string; labels: readonly string[] },
): AsyncGenerator<Uint8Array, void, undefined> {
  return format === "arrow"
    ? arrowStream(groups, { labels, metadata: { schema }, allocate })
    : formatLabelledSamples(groups, { format, schema, labels, allocate });
}

/** Counts samples while they are read. */
export async function* counted(
  samples: AsyncIterable<SampleColumns>,
  { count }: FileForm,
): AsyncGenerator<SampleColumns, void, undefined> {
  for await (const batch of samples) {
    count?.(batch.length);
    yield batch;
  }
}

/**
 * Returns the requested interval, closed.
 * @throws ServiceError `invalid`
 */
export function timesIn({ from, to }: StaticDecode<typeof SampleFileQuery>): Interval {
  const within = { startMs: from?.getTime() ?? EARLIEST_MS, stopMs: (to?.getTime() ?? LATEST_MS + 1) - 1 };
  if (within.stopMs < within.startMs) throw errors.field("to", "Must be after from.");
  return within;
}
