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
  garmin: "@garmin/fitsdk, same session as FIT",
  fitFileParser: "fit-file-parser, same session as FIT",
  gpsdecode: "`gpsdecode -j`, whole process",
  goodFrames: "good frames, SIMD core",
  hostile: "hostile input, SIMD core",
  hostileTwice: "hostile input, twice as much",
  nodeStart: "`node -e 0`, whole process",
  asiStart: "`asi convert`, whole process",
  nativeProcess: "native C, whole process",
  asiProcess: "`asi convert`, whole process",
} as const;

export type CaseId = keyof typeof LABELS;
