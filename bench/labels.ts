import { HOSTILE_INPUTS } from "./hostile.js";

/** All cases of the comparison, in the order of the table. */
export const LABELS = {
  coreCsvSimd: "CSV, SIMD core",
  coreCsvScalar: "CSV, core without SIMD",
  coreColumnsSimd: "columns, SIMD core",
  coreColumnsScalar: "columns, core without SIMD",
  convert: "`convert(bytes).body`",
  coreLayoutSimd: "CSV with semicolons, SIMD core",
  coreLayoutScalar: "CSV with semicolons, core without SIMD",
  convertLayout: '`convert(bytes, { delimiter: ";" }).body`',
  coreOrderSimd: "CSV with the columns reversed, SIMD core",
  convertOrder: "`convert(bytes, { columns }).body`, the same columns",
  gpx: '`convert(bytes, { format: "gpx" }).body`',
  tcx: '`convert(bytes, { format: "tcx" }).body`',
  geojson: '`convert(bytes, { format: "geojson" }).body`',
  geojsonl: '`convert(bytes, { format: "geojsonl" }).body`',
  jsonl: '`convert(bytes, { format: "jsonl" }).body`',
  kml: '`convert(bytes, { format: "kml" }).body`',
  decode: "`decode(bytes)`",
  ecgDevice: '`convert(bytes, { hr: "device" }).body`, recording with ECG waveform',
  ecgDerived: '`convert(bytes, { hr: "ecg" }).body`, the same recording',
  native: "native C (SSE)",
  nativeCopy: "native C, input copied first",
  plainCsv: "CSV, plain engine: TypeScript alone",
  plainColumns: "columns, plain engine",
  concatenation: "DataView, string concatenation",
  fastCsv: "DataView, fast-csv `format`",
  fastCsvLayout: "the same with semicolons",
  fitFileParser: "fit-file-parser, same session as FIT",
  gpsdecode: "`gpsdecode -j`, whole process",
  nodeStart: "`node -e 0`, whole process",
  asiStart: "`asi convert`, whole process",
  nativeProcess: "native C, whole process",
  asiProcess: "`asi convert`, whole process",
} as const;

/** The hostile inputs, in the order of their tables. */
export const HOSTILE_LABELS = {
  goodFrames: "valid frames",
  ...HOSTILE_INPUTS,
  falseSyncsTwice: "false syncs, twice as many",
} as const;

/** The functions that read the hostile inputs; each has a table. `inspect` returns no rows, so it is fastest for valid frames. */
export const HOSTILE_VERBS = { convert: "`convert(bytes).body`", inspect: "`inspect(bytes)`" } as const;

export type ComparisonId = keyof typeof LABELS;
export type HostileVerb = keyof typeof HOSTILE_VERBS;
export type HostileId = keyof typeof HOSTILE_LABELS;
export type HostileCaseId = `${HostileVerb} ${HostileId}`;
export type CaseId = ComparisonId | HostileCaseId;

/** Returns the id of the case in which a function reads a hostile input. */
export const hostileCaseId = (verb: HostileVerb, id: HostileId): HostileCaseId => `${verb} ${id}`;

/** Returns the label of a case in the results. */
export function labelOf(id: CaseId): string {
  if (id in LABELS) return LABELS[id as ComparisonId];
  const [verb, input] = id.split(" ") as [HostileVerb, HostileId];
  return `${HOSTILE_VERBS[verb]}, ${HOSTILE_LABELS[input]}`;
}
