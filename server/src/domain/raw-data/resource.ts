import { type Static, Type } from "@sinclair/typebox";
import { type JsonValue, samplesToJson } from "asi-convert/json";
import type { SampleColumns } from "../../store/samples/index.js";
import { DateTimeOut, Nullable } from "../../wire/types.js";

export const RawDataSample = Type.Object(
  {
    "gnss.altitude": Nullable(
      Type.Number({ description: "Metres above mean sea level", examples: [408.123] }),
    ),
    "gnss.latitude": Type.Number({ description: "Degrees, WGS 84", examples: [47.3700001] }),
    "gnss.longitude": Type.Number({ description: "Degrees, WGS 84", examples: [8.55] }),
    "gnss.speed": Type.Number({ description: "Metres per second over ground", examples: [3.05] }),
    "gnss.timestamp": Type.Integer({ description: "Milliseconds since 1970 UTC", examples: [1704088800000] }),
    "ecg.hr": Nullable(Type.Integer({ description: "Beats per minute", examples: [142] })),
  },
  { $id: "RawDataSample" },
);
export type RawDataSample = Static<typeof RawDataSample>;

/** JSON value of each key. */
export const SAMPLE_KEYS: Readonly<Record<keyof RawDataSample, JsonValue>> = {
  "gnss.altitude": "altitude",
  "gnss.latitude": "latitude",
  "gnss.longitude": "longitude",
  "gnss.speed": "speed",
  "gnss.timestamp": "timestamp",
  "ecg.hr": "hr",
};

/** Formats samples as a JSON array. */
export const liveSamplesJson = (samples: SampleColumns): string =>
  Buffer.from(samplesToJson(samples, { keys: SAMPLE_KEYS })).toString();

export const RawDataRange = Type.Object(
  {
    start: DateTimeOut({ description: "First sample" }),
    stop: DateTimeOut({ description: "Last sample" }),
    size: Type.Integer({ description: "Number of samples" }),
  },
  { $id: "RawDataRange" },
);

export const LatestTimestamp = Type.Object(
  {
    timestamp: Type.Integer({ description: "Milliseconds since 1970 UTC", examples: [1704088800000] }),
    datetime: Type.String({ format: "date-time", examples: ["2024-01-01T06:00:00.000+00:00"] }),
  },
  { $id: "LatestTimestamp" },
);
