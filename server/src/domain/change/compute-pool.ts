import type {
  GatedProfile,
  MetabolicSummary,
  Metrics,
  MetricsOptions,
  ParameterOverrides,
  Recipe,
  Sport,
} from "asi-convert/metrics";
import type { Interval } from "asi-convert/squad";
import type { Cell, FileColumn, workbookSheets } from "asi-convert/squad-report";
import type { Interval as ClosedInterval } from "../../store/samples/intervals.js";
import type { StoredChunk } from "../../store/samples/stored.js";

export type CellSheet = Parameters<typeof workbookSheets>[0][number];

/** A version of an account's recipe that a time frame names. */
export interface RecipeVersion {
  name: string;
  version: number;
  hash: string;
  recipe: Recipe;
}

/** The input of one computation, as a message to the thread that runs it. */
export interface ComputationTask {
  deviceId: number;
  /** Chunks that overlap the time frame. Samples outside it are ignored. */
  chunks: StoredChunk[];
  options: MetricsOptions;
  recipes: RecipeVersion[];
  /** ms since 1970 UTC. */
  computedAtMs: number;
}

/** The results of one computation. */
export interface ComputedTexts {
  /** The computed data as JSON text. */
  data: string;
  /** `OptionalFigures` as JSON text. */
  further: string;
  /** The points of the acceleration-speed profile as JSON text. */
  profilePoints: string;
  /** The maximum speed among these figures, m/s. */
  sessionMaxSpeed: number | null;
}

/** A device of a player, and the times when its samples belong to the player, ascending and disjoint. */
export interface PlayerTracker {
  deviceId: number;
  serial: string;
  chunks: StoredChunk[];
  times: readonly ClosedInterval[];
}

/** A period of a player; empty for the whole session. */
export interface PlayerPeriod {
  period: string;
  /** Ascending and disjoint; empty if the player does not take part. */
  intervals: readonly Interval[];
  periodMs: number;
  /** Times on the bench in the period. */
  bench: readonly Interval[];
}

/** The input of the figures of a player in a session. */
export interface PlayerTask {
  trackers: PlayerTracker[];
  name: string;
  birthDate: string | null;
  preset: Sport;
  params: ParameterOverrides;
  periods: PlayerPeriod[];
}

/** The figures of a player in a period, in the form in which they are stored. */
export interface PlayerFigures {
  /** Figures by the keys of `SQUAD_COLUMNS`, with all digits. */
  figures: Record<string, number | null>;
  /** By the keys of `FILE_COLUMNS`, rounded as in files; instants in ms since 1970 UTC. */
  cells: Record<string, Cell>;
  /** Null if there is no data. */
  recordedMs: number | null;
  hrCoverage: number | null;
  /** The samples that no figure includes, because they are too fast. Null without data, and in figures of an older release. */
  tooFast: Metrics["too_fast"] | null;
  /**
   * Seconds of the whole session with data, since 1970 UTC. The seconds of all players together give the length of the
   * session.
   */
  seconds: [from: number, to: number][];
  definition: Metrics["definition"] | null;
  /** Null if there is no data. */
  further: OptionalPlayerFigures | null;
}

/** The optional figures of a player in a period. */
export interface OptionalPlayerFigures {
  /** Maximum speed held for 0.5 s, m/s; null below 5 Hz. */
  maxSpeed: number | null;
  profile: GatedProfile["profile"];
  /** Why there is no profile. */
  profileReason: string | null;
  metabolic: MetabolicSummary;
  /** Number of standard runs. */
  standardRuns: number;
}

/** A table of a file. The cells of a row are in the order of the columns. */
export interface CellTable {
  columns: Omit<FileColumn<never>, "cell">[];
  rows: Cell[][];
  /** Zone of the times in text; default UTC. */
  timeZone?: string | undefined;
}

/** A caller that waits for a computation. */
export interface Waiter {
  account: number;
  /** Address of the account, see `jobGroupOf`; default: a separate group. */
  group?: string;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/**
 * Waits until there is room in memory for samples. The room is left when the work ends, or when it enters again.
 * @throws CallersLeftError when all callers disconnect before
 */
export type EnterRoom = (samples: number) => Promise<void>;

/** Computes in worker threads, because computations would block the event loop of the API. */
export interface ComputePool {
  /** @throws the errors of the computation, or an Error when its thread has died */
  compute(task: ComputationTask): Promise<ComputedTexts>;
  /** Computes the figures of a player, by period. @throws see `compute` */
  computePlayer(task: PlayerTask): Promise<Map<string, PlayerFigures>>;
  /** Writes a table as CSV. @throws see `compute` */
  writeCsv(table: CellTable): Promise<string>;
  /** Writes a table as Parquet. @throws see `compute` */
  writeParquet(table: CellTable): Promise<Uint8Array>;
  /** Writes a workbook (XLSX). @throws see `compute` */
  writeWorkbook(sheets: readonly CellSheet[]): Promise<Uint8Array>;
  /**
   * Runs work that computes as soon as a thread is free. Concurrent calls with the same key share one run. Before the work reads
   * samples, it waits for room for them in memory.
   * @throws see `ComputationQueue`
   */
  share<T>(key: string, waiter: Waiter, work: (enter: EnterRoom) => Promise<T>): Promise<T>;
  /** Number of existing threads, including idle ones; for tests. */
  readonly threads: number;
  /** Terminates the threads. Running computations are lost. */
  close(): Promise<void>;
}

const refuse = () => Promise.reject(new Error("This process computes nothing"));

/** Pool for contexts without computations, such as operator commands. */
export const noComputePool: ComputePool = {
  compute: refuse,
  computePlayer: refuse,
  writeCsv: refuse,
  writeParquet: refuse,
  writeWorkbook: refuse,
  share: (_key, _waiter, work) => work(() => Promise.resolve()),
  threads: 0,
  close: () => Promise.resolve(),
};
