import { HOSTILE_INPUTS } from "./hostile.js";

/** Every case of the comparison, in the order of the table. */
export const LABELS = {
  coreCsvSimd: "CSV, SIMD core",
  coreCsvPlain: "CSV, core without SIMD",
  coreColumnsSimd: "columns, SIMD core",
  coreColumnsPlain: "columns, core without SIMD",
  convert: "`convert(bytes).csv`",
  decode: "`decode(bytes)`",
  native: "native C (SSE)",
  nativeCopy: "native C, input copied first",
  tuned: "tuned plain TypeScript",
  concatenation: "DataView, string concatenation",
  fastCsv: "DataView, fast-csv `format`",
  fitFileParser: "fit-file-parser, same session as FIT",
  gpsdecode: "`gpsdecode -j`, whole process",
  nodeStart: "`node -e 0`, whole process",
  asiStart: "`asi convert`, whole process",
  nativeProcess: "native C, whole process",
  asiProcess: "`asi convert`, whole process",
} as const;

/** The cases of the table of hostile inputs, in its order. */
export const HOSTILE_LABELS = {
  goodFrames: "good frames",
  ...HOSTILE_INPUTS,
  falseSyncsTwice: "false syncs, twice as many",
} as const;

export type ComparisonId = keyof typeof LABELS;
export type HostileId = keyof typeof HOSTILE_LABELS;
export type CaseId = ComparisonId | HostileId;
