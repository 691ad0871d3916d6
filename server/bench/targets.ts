import { DOWNLOAD_TARGETS, INTEGRATION_TARGETS, STREAM_TARGETS } from "./integration-targets.js";
import type { ReadingFigures } from "./reading.js";
import type { Target } from "./target.js";

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

function growth(what: string, of: (figures: ReadingFigures) => number): Target {
  return {
    what: `${what}, ten times as much stored`,
    bound: "at most",
    limit: 1.3,
    unit: "×",
    measure: ({ reading }) => reading && of(reading.large) / of(reading.small),
    from: ({ reading }) => reading && `${ms(of(reading.small))} → ${ms(of(reading.large))}`,
  };
}

const PAGE = "page of 25,000 samples";
const RANGES = "ranges of 14 days, 2 h a day";
const RESTLESS = "ranges of 14 days without a break";
const LATEST = "latest 300 samples";

export const TARGETS: readonly Target[] = [
  {
    what: `${PAGE}, relative to the same bytes from memory`,
    bound: "at most",
    limit: 2,
    unit: "×",
    measure: ({ reading }) => reading && reading.small.page / reading.small.fromMemory,
    from: ({ reading }) => reading && `${ms(reading.small.page)} ÷ ${ms(reading.small.fromMemory)}`,
  },
  {
    what: RANGES,
    bound: "at most",
    limit: 10,
    unit: "ms",
    measure: ({ reading }) => reading?.small.ranges,
  },
  {
    what: RESTLESS,
    bound: "at most",
    limit: 10,
    unit: "ms",
    measure: ({ reading }) => reading?.small.restlessRanges,
  },
  {
    what: LATEST,
    bound: "at most",
    limit: 3,
    unit: "ms",
    measure: ({ reading }) => reading?.small.latest,
  },
  growth(PAGE, ({ page }) => page),
  growth(RANGES, ({ ranges }) => ranges),
  growth(RESTLESS, ({ restlessRanges }) => restlessRanges),
  growth(LATEST, ({ latest }) => latest),
  {
    what: "bulk load of 72,000 samples, from decoded rows to commit",
    bound: "at least",
    limit: 1_000_000,
    unit: "samples/s",
    measure: ({ load }) => load?.samplesPerS,
  },
  {
    what: "a sample on disk, including indexes",
    bound: "at most",
    limit: 6,
    unit: "bytes",
    measure: ({ load }) => load?.bytesPerSample,
  },
  {
    what: "conversion of a 7 MB upload, relative to a minimal server",
    bound: "at most",
    limit: 1.2,
    unit: "×",
    measure: ({ conversion }) => conversion && conversion.overHttp / conversion.bare,
    from: ({ conversion }) =>
      conversion &&
      `${ms(conversion.overHttp)} ÷ ${ms(conversion.bare)}; library alone ${ms(conversion.library)}`,
  },
  {
    what: "growth of the process during a 150 MB upload",
    bound: "under",
    limit: 20,
    unit: "MB",
    measure: ({ uploadMemoryMb }) => uploadMemoryMb,
  },
  {
    what: "time frame of 2 h at 10 Hz, read and computed, one core",
    bound: "at most",
    limit: 100,
    unit: "ms",
    measure: ({ computedData }) => computedData?.processorMs,
  },
  {
    what: "p99 of the API during 100 computations, relative to idle",
    bound: "under",
    limit: 3,
    unit: "×",
    measure: ({ computedData }) => computedData && computedData.busyP99Ms / computedData.idleP99Ms,
    from: ({ computedData }) =>
      computedData && `${ms(computedData.busyP99Ms)} ÷ ${ms(computedData.idleP99Ms)}`,
  },
  {
    what: "table of a session: 25 players, whole and 6 periods, stored",
    bound: "at most",
    limit: 50,
    unit: "ms",
    measure: ({ squad }) => squad?.tableMs,
  },
  {
    what: "the same table, computed from 90 min at 10 Hz",
    bound: "at most",
    limit: 3000,
    unit: "ms",
    measure: ({ squad }) => squad?.coldTableMs,
  },
  {
    what: "season of 25 players in 300 sessions",
    bound: "at most",
    limit: 200,
    unit: "ms",
    measure: ({ squad }) => squad?.seasonMs,
  },
  ...DOWNLOAD_TARGETS,
  ...STREAM_TARGETS,
  ...INTEGRATION_TARGETS,
];

/** Whether the value meets the target; null if there is no value or no target. */
export function isReached({ bound, limit }: Target, measured: number | undefined): boolean | null {
  if (measured === undefined || Number.isNaN(measured) || bound === null || limit === null) return null;
  if (bound === "at least") return measured >= limit;
  return bound === "under" ? measured < limit : measured <= limit;
}
