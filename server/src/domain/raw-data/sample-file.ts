import { type StaticDecode, Type } from "@sinclair/typebox";
import { LABELLED_FORMATS, type LabelledFormatName } from "asi-convert";
import type { Interval } from "../../store/samples/index.js";
import { EARLIEST_MS, LATEST_MS } from "../../wire/date-time.js";
import { Query } from "../../wire/types.js";
import { errors } from "../change/errors.js";

/**
 * Sample file formats with their media types, in order of preference for clients that state none.
 */
export const SAMPLE_FILE_TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  parquet: "application/vnd.apache.parquet",
} as const satisfies Record<LabelledFormatName, string>;

export type SampleFileFormat = LabelledFormatName;

export const SampleFileQuery = Type.Object({
  from: Query.dateTime("Only samples from this time on"),
  to: Query.dateTime("Only samples before this time"),
  format: Type.Optional(
    Type.Union(
      LABELLED_FORMATS.map((name) => Type.Literal(name)),
      { description: "The format; takes precedence over `Accept`" },
    ),
  ),
});

/**
 * The requested interval, closed.
 * @throws ServiceError `invalid`
 */
export function timesIn({ from, to }: StaticDecode<typeof SampleFileQuery>): Interval {
  const within = { startMs: from?.getTime() ?? EARLIEST_MS, stopMs: (to?.getTime() ?? LATEST_MS + 1) - 1 };
  if (within.stopMs < within.startMs) throw errors.field("to", "Must be after from.");
  return within;
}
