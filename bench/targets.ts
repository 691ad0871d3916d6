import { HOSTILE_INPUTS, type HostileInput } from "./hostile.js";
import { type CaseId, HOSTILE_VERBS, type HostileId, type HostileVerb, hostileCaseId } from "./labels.js";
import type { Measurements } from "./measure.js";

/** A target for speed, and how it is computed from the measurements. */
interface Target {
  /** The case whose line in the table shows the target. */
  readonly on: CaseId;
  readonly what: string;
  readonly bound: "at most" | "at least";
  readonly limit: number;
  readonly unit: "×" | "MB";
  measure(figures: Figures): number;
}

export interface TargetResult extends Omit<Target, "measure"> {
  /** The measured value; null if one of the programs is not installed. */
  readonly measured: number | null;
  readonly reached: boolean | null;
}

interface Figures {
  /** Returns the time of the fastest run, s; NaN if the case was omitted. */
  time(id: CaseId): number;
  /** Returns the time per row of the fastest run, s; NaN if the case was omitted. */
  perRow(id: CaseId): number;
  /** Returns the time per byte of the fastest run, s; NaN if the case was omitted. */
  perByte(id: CaseId): number;
  /** Peak memory of `asi convert` on the main session, MB. */
  asiPeakMb: number;
}

/** Returns the ratio of our rows per second to those of a peer. */
const timesAsFast = (peer: CaseId) => (figures: Figures) =>
  figures.perRow(peer) / figures.perRow("coreCsvSimd");

const times = (of: CaseId, by: CaseId) => (figures: Figures) => figures.time(of) / figures.time(by);

const timesPerByte = (of: CaseId, by: CaseId) => (figures: Figures) =>
  figures.perByte(of) / figures.perByte(by);

const HOSTILE_IDS = Object.keys(HOSTILE_INPUTS) as HostileInput[];

function hostileTargets(verb: HostileVerb): Target[] {
  const of = (input: HostileId) => hostileCaseId(verb, input);
  return [
    ...HOSTILE_IDS.map((input) => {
      const id = of(input);
      return atMost(6, id, "the time of valid frames", timesPerByte(id, of("goodFrames")));
    }),
    // the target is twice the time; a tenth more is allowed for measurement error
    atMost(
      2.2,
      of("falseSyncsTwice"),
      "the time of half the data",
      times(of("falseSyncsTwice"), of("falseSyncs")),
    ),
  ];
}

const TARGETS: readonly Target[] = [
  atMost(1.2, "coreCsvSimd", "the time of native C", times("coreCsvSimd", "native")),
  atMost(1.8, "coreCsvScalar", "the time of native C", times("coreCsvScalar", "native")),
  atMost(12, "plainCsv", "the time of native C", times("plainCsv", "native")),
  atMost(0.9, "coreColumnsSimd", "the time of native C", times("coreColumnsSimd", "native")),
  atMost(1.3, "convert", "the time of the plain loop", times("convert", "coreCsvSimd")),
  atMost(1.3, "coreLayoutSimd", "the time of the standard CSV", times("coreLayoutSimd", "coreCsvSimd")),
  atMost(1.3, "coreLayoutScalar", "the time of the standard CSV", times("coreLayoutScalar", "coreCsvScalar")),
  atMost(1.3, "convertLayout", "the time of the standard CSV", times("convertLayout", "convert")),
  atMost(1.5, "coreOrderSimd", "the time of the standard CSV", times("coreOrderSimd", "coreCsvSimd")),
  atMost(1.5, "convertOrder", "the time of the standard CSV", times("convertOrder", "convert")),
  atMost(1.2, "decode", "the time of the plain loop", times("decode", "coreColumnsSimd")),
  atMost(2.5, "ecgDerived", "the time without beats", times("ecgDerived", "ecgDevice")),
  atLeast(25, "concatenation", "as fast with our CSV", timesAsFast("concatenation")),
  atLeast(45, "fastCsv", "as fast with our CSV", timesAsFast("fastCsv")),
  atLeast(
    45,
    "fastCsvLayout",
    "as fast with our CSV with semicolons",
    ({ perRow }) => perRow("fastCsvLayout") / perRow("coreLayoutSimd"),
  ),
  atLeast(100, "fitFileParser", "as fast with our CSV", timesAsFast("fitFileParser")),
  ...(Object.keys(HOSTILE_VERBS) as HostileVerb[]).flatMap(hostileTargets),
  atMost(1.5, "asiStart", "the time of `node -e 0`", times("asiStart", "nodeStart")),
  {
    on: "asiProcess",
    what: "the time of native C, without the start of node",
    bound: "at most",
    limit: 2,
    unit: "×",
    measure: ({ time }) => (time("asiProcess") - time("nodeStart")) / time("nativeProcess"),
  },
  {
    on: "asiProcess",
    what: "peak memory",
    bound: "at most",
    limit: 120,
    unit: "MB",
    measure: ({ asiPeakMb }) => asiPeakMb,
  },
];

function atMost(limit: number, on: CaseId, what: string, measure: Target["measure"]): Target {
  return { on, what, bound: "at most", limit, unit: "×", measure };
}

function atLeast(limit: number, on: CaseId, what: string, measure: Target["measure"]): Target {
  return { on, what, bound: "at least", limit, unit: "×", measure };
}

/** Returns all targets with their measured values. `asiPeakBytes` is the peak memory of `asi convert`. */
export function evaluateTargets(measurements: Measurements, asiPeakBytes: number): TargetResult[] {
  const figures: Figures = {
    time: (id) => measurements.get(id)?.fastestS ?? Number.NaN,
    perRow(id) {
      const measurement = measurements.get(id);
      return measurement === undefined ? Number.NaN : measurement.fastestS / measurement.rows;
    },
    perByte(id) {
      const measurement = measurements.get(id);
      return measurement === undefined ? Number.NaN : measurement.fastestS / measurement.bytes;
    },
    asiPeakMb: asiPeakBytes / 1e6,
  };
  return TARGETS.map(({ measure, ...target }) => {
    const value = measure(figures);
    const measured = Number.isNaN(value) ? null : value;
    const holds = target.bound === "at most" ? value <= target.limit : value >= target.limit;
    return { ...target, measured, reached: measured === null ? null : holds };
  });
}
