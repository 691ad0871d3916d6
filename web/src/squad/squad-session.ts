import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  benchTimeMs,
  findSessions,
  type Interval,
  isSameRecording,
  mainInterval,
  namesIn,
  type Player,
  playerNameOf,
  playerOfRecording,
  type Roster,
  type SessionPeriod,
  type SquadColumn,
  squadMembers,
  squadRow,
  timeWithData,
  type ZoneKind,
} from "asi-convert/squad";
import type { SheetKind, SheetProblem } from "asi-convert/squad-sheets";
import { ReadingError } from "../recording/calls.js";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import { oneAtATime } from "../view/latest.js";
import type { Settings } from "../view/settings.js";
import { stableList } from "../view/stable-list.js";
import { zoneName } from "../view/times.js";
import type { TimeWindow } from "../view/window.js";
import { FigureCache } from "./figure-cache.js";
import { keysOfAnotherSport } from "./marks.js";
import { type AttackSide, PeriodSteps } from "./period-steps.js";
import { Played } from "./played.js";
import type { ChosenRecipes } from "./recipes/chosen-recipes.js";
import { halvesIn, type Scope, scopeOf } from "./scope.js";
import { FIRST_SORT, type Sort } from "./shown-order.js";
import { type FileState, isOfSystem, readSheetFile, type SheetFile, type SquadFile } from "./squad-file.js";
import type { PlayerRow, SquadPlayer } from "./squad-player.js";
import type { StoredSession } from "./stored-session.js";
import type { SquadWorkers } from "./workers.js";

export type { PlayerRow, SquadPlayer };

/** Actions of the surrounding page that the squad uses. */
export interface SquadActions {
  /** Replaces the squad view with the recordings of a player, under the player's name. @param zones those of the squad */
  onPlayer: (
    name: string,
    files: readonly File[],
    zones: ZoneKind | null,
    player: Player | null,
  ) => Promise<void>;
  onClose: () => void;
}

/** The rows of a scope, computed together. */
export interface ShownFigures {
  scope: Scope;
  /** Columns of the recipes that are counted in the rows. */
  counts: readonly SquadColumn[];
  /** In the order of `players`. */
  rows: readonly PlayerRow[];
}

/** The content of a roster or periods, with its problems. */
interface ReadSheet<Content> {
  fileName: string;
  content: Content;
  problems: readonly SheetProblem[];
}

/**
 * The state of the squad view in signals: data from the user or from files are `Signal`s, derived data are
 * `ReadonlySignal`. Times are ms since 1970 UTC.
 */
export class SquadSession {
  readonly files: Signal<readonly SquadFile[]> = signal([]);
  readonly isReading: Signal<boolean> = signal(false);
  /** Keys of the problems that the user has dismissed. */
  readonly ignored: Signal<ReadonlySet<string>> = signal(new Set());
  /** Trackers assigned by the user: serial number by name of the player in the roster. */
  readonly trackerNames: Signal<ReadonlyMap<string, string>> = signal(new Map());
  /** Recordings with separate rows, although the roster assigns them to one player. */
  readonly keptApart: Signal<ReadonlySet<number>> = signal(new Set());

  /** All recordings that were read, including those from other sessions. */
  readonly recordings: ReadonlySignal<readonly OpenRecording[]>;
  /** Recordings by the time of their sessions, in ascending order. */
  readonly sessions: ReadonlySignal<readonly (readonly OpenRecording[])[]>;
  /** A recording of the shown session; null: the largest session. */
  readonly sessionOf: Signal<number | null> = signal(null);
  /** Recordings of the shown session. */
  readonly shownRecordings: ReadonlySignal<readonly OpenRecording[]>;
  /** From the first row to the end of the last; null before there is one. */
  readonly interval: ReadonlySignal<Interval | null>;

  /** With the code that read it; the roster of a session in the service is not from a file. */
  readonly roster: ReadonlySignal<(ReadSheet<Roster> & { reader: SheetFile["reader"] | null }) | null>;
  readonly periodsOfFile: ReadonlySignal<ReadSheet<readonly SessionPeriod[]> | null>;
  /** Periods created or changed here; null for those of the file. */
  readonly editedPeriods: Signal<readonly SessionPeriod[] | null> = signal(null);
  readonly periods: ReadonlySignal<readonly SessionPeriod[]>;
  /** The side of the map towards which the team attacks, by period name; unknown for other periods. */
  readonly attack: Signal<ReadonlyMap<string, AttackSide>> = signal(new Map());
  /** Makes changes of periods and sides, so that they can be undone. */
  readonly periodSteps = new PeriodSteps(this.editedPeriods, this.attack);
  /** When players were on the pitch. */
  readonly played: Played;
  /** The rows, in the order of the roster. */
  readonly players: ReadonlySignal<readonly SquadPlayer[]>;
  /** Names that periods may contain: of the rows, and of players of the roster without a recording. */
  readonly names: ReadonlySignal<readonly string[]>;

  /** The scope of the figures. */
  readonly scope: Signal<Scope> = signal({ kind: "session" });
  /** Exact figures of a scope; the previous ones while others are computed. */
  readonly figures: Signal<ShownFigures> = signal({ scope: { kind: "session" }, counts: [], rows: [] });
  readonly isComputing: Signal<boolean> = signal(false);

  /** Keys of players whose recordings look like a faster sport. */
  readonly ofAnotherSport: Signal<ReadonlySet<string>> = signal(new Set());

  /** The shown part of the clock; null for the whole session. */
  readonly zoom: Signal<TimeWindow | null> = signal(null);
  readonly cursorMs: Signal<number | null> = signal(null);
  /** Key of the selected player. */
  readonly chosen: Signal<string | null> = signal(null);
  readonly sort: Signal<Sort> = signal(FIRST_SORT);
  readonly isPerMinute: Signal<boolean> = signal(false);
  readonly isByPosition: Signal<boolean> = signal(false);
  /** Individual zones; null for fixed limits. */
  readonly zones: Signal<ZoneKind | null> = signal(null);
  /** Recipes that are counted in addition to the figures. */
  readonly recipes: Signal<ChosenRecipes> = signal({ named: [], columns: [] });

  readonly settings: Settings;
  /** Null for a session of files. */
  readonly stored: StoredSession | null;
  readonly #actions: SquadActions;
  readonly #workers: SquadWorkers;
  readonly #cache: FigureCache;
  readonly #stop: () => void;
  #lastFile = 0;
  readonly #failed: ReadonlySignal<readonly SquadFile[]>;
  readonly #sheets: ReadonlySignal<readonly SquadFile[]>;
  #queue: number[] = [];
  #reading: Promise<void> | null = null;
  #cancelling = new AbortController();

  constructor(
    settings: Settings,
    workers: SquadWorkers,
    actions: SquadActions,
    stored: StoredSession | null = null,
  ) {
    this.settings = settings;
    this.stored = stored;
    this.#actions = actions;
    this.#workers = workers;
    this.#cache = new FigureCache(workers);
    // the progress of reading changes a file, but not these
    this.recordings = stableList(() =>
      this.files.value.flatMap(({ state }) => (state.name === "recording" ? state.recording : [])),
    );
    this.#failed = stableList(() => this.files.value.filter(({ state }) => state.name === "failed"));
    this.#sheets = stableList(() => this.files.value.filter(({ state }) => state.name === "sheet"));
    this.sessions = computed(() => findSessions(this.recordings.value));
    this.shownRecordings = computed(() => {
      const id = this.sessionOf.value;
      const sessions = this.sessions.value;
      const largest = sessions.reduce(
        (most, one) => (one.length > most.length ? one : most),
        sessions[0] ?? [],
      );
      return sessions.find((session) => session.some((recording) => recording.id === id)) ?? largest;
    });
    this.interval = computed(() => {
      const recordings = this.shownRecordings.value;
      if (recordings.length === 0) return null;
      return {
        startMs: recordings.reduce(
          (least, { startMs }) => Math.min(least, startMs),
          Number.POSITIVE_INFINITY,
        ),
        endMs: recordings.reduce((most, { endMs }) => Math.max(most, endMs), Number.NEGATIVE_INFINITY) + 1,
      };
    });
    this.roster = computed(() => {
      if (stored !== null) return { fileName: "", content: stored.roster, problems: [], reader: null };
      const found = this.#sheet("roster");
      if (found === null) return null;
      const { roster, problems } = found.reader.readRoster(found.bytes);
      const names = this.trackerNames.value;
      const players = roster.players.map((player) => {
        const serial = names.get(player.name);
        return serial === undefined ? player : { ...player, serials: [...player.serials, serial] };
      });
      return { fileName: found.fileName, content: { players }, problems, reader: found.reader };
    });
    this.players = computed(() => this.#playersNow());
    this.names = computed(() => namesIn(this.players.value, this.roster.value?.content ?? null));
    this.periodsOfFile = computed(() => {
      const found = this.#sheet("periods");
      const recordings = this.shownRecordings.value;
      if (found === null || recordings.length === 0) return null;
      const session = mainInterval(recordings);
      const timeZone = zoneName(this.settings.zone.value);
      const { periods, problems } = found.reader.readPeriods(found.bytes, {
        session,
        timeZone,
        players: this.names.value,
      });
      return { fileName: found.fileName, content: periods, problems };
    });
    this.periods = computed(
      () => this.editedPeriods.value ?? this.periodsOfFile.value?.content ?? stored?.periods ?? [],
    );
    this.played = new Played(this);
    const compute = oneAtATime(() => this.#compute());
    const stopFollowing = effect(() => {
      const scope = this.scope.value;
      // removed by Undo, or by other periods of a file
      const isGone = scope.kind === "period" && !this.periods.value.some(({ name }) => name === scope.name);
      if (isGone && !this.isReading.value) this.scope.value = { kind: "session" };
    });
    const stopComputing = effect(() => {
      // inputs of the figures
      this.scope.value;
      this.players.value;
      this.periods.value;
      this.settings.preset.value;
      this.zones.value;
      this.recipes.value;
      this.played.lastKnown();
      compute();
    });
    this.#stop = () => {
      stopFollowing();
      stopComputing();
    };
  }

  /** Reads additional files. Duplicates are omitted. @param lost stored files whose content is lost */
  async add(files: readonly File[], lost: ReadonlySet<File> = new Set()): Promise<void> {
    const added = files
      .filter((file) => !isOfSystem(file))
      .map(
        (file): SquadFile => ({
          id: ++this.#lastFile,
          file,
          range: null,
          state: lost.has(file) ? LOST : { name: "waiting" },
        }),
      );
    await this.#read(added);
  }

  /** Reads the ranges of the session in the service. */
  async addRanges(): Promise<void> {
    const added = [...(this.stored?.ranges ?? [])].map(
      ([name, range]): SquadFile => ({
        id: ++this.#lastFile,
        file: new File([], name),
        range,
        state: { name: "waiting" },
      }),
    );
    await this.#read(added);
  }

  async #read(added: readonly SquadFile[]): Promise<void> {
    this.files.value = [...this.files.peek(), ...added];
    const wanted = added.filter(({ state }) => state !== LOST);
    // rosters and periods first, so that names and times do not change when the recordings are read
    this.#queue.push(...wanted.toSorted((a, b) => sheetFirst(a) - sheetFirst(b)).map(({ id }) => id));
    this.#reading ??= this.#readQueue().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  /** Stops reading; files that have been read remain. */
  stopReading(): void {
    this.#cancelling.abort();
    this.#cancelling = new AbortController();
    this.#queue = [];
    this.files.value = this.files
      .peek()
      .filter(({ state }) => state.name !== "waiting" && state.name !== "reading");
  }

  /** Removes a file with all its data. */
  remove(id: number): void {
    const found = this.files.peek().find((one) => one.id === id);
    if (found?.state.name === "recording") this.#workers.forget(found.state.recording);
    this.files.value = this.files.peek().filter((one) => one.id !== id);
  }

  removeRecording(recordingId: number): void {
    const file = this.#fileOf(recordingId);
    if (file !== undefined) this.remove(file.id);
  }

  /** Replaces a file by another one. */
  async replace(id: number, file: File): Promise<void> {
    this.remove(id);
    await this.add([file]);
  }

  /** Assigns a tracker to a player of the roster. */
  nameTracker(player: string, serial: string): void {
    this.trackerNames.value = new Map([...this.trackerNames.peek(), [player, serial]]);
  }

  /** Gives each recording of a player except the first a separate row. */
  keepApart({ recordings, leftOut }: SquadPlayer): void {
    const others = [...recordings.slice(1), ...leftOut].map(({ id }) => id);
    this.keptApart.value = new Set([...this.keptApart.peek(), ...others]);
  }

  /** Shows the session of a recording. */
  showSession(recordingId: number): void {
    batch(() => {
      this.sessionOf.value = recordingId;
      this.editedPeriods.value = null;
      this.scope.value = { kind: "session" };
      this.zoom.value = null;
      this.cursorMs.value = null;
    });
  }

  /** Shows a part of a recording on the clock, with its surroundings. */
  showPlace(recording: OpenRecording, { startMs, endMs }: Interval): void {
    this.zoom.value = { startMs: startMs - AROUND_MS, stopMs: endMs + AROUND_MS };
    this.cursorMs.value = startMs;
    this.chosen.value =
      this.players.peek().find(({ recordings }) => recordings.includes(recording))?.key ?? null;
  }

  /** Corrects the clock of a recording by some ms. */
  async shiftClock(recordingId: number, byMs: number): Promise<void> {
    const file = this.#fileOf(recordingId);
    if (file?.state.name !== "recording") return;
    this.#setState(file.id, {
      name: "recording",
      recording: await this.#workers.shift(file.state.recording, byMs),
    });
  }

  /** The rows of any scope, as for files and reports. @param played when players were on the pitch */
  async rowsOf(scope: Scope, played = this.played.now()): Promise<PlayerRow[]> {
    const players = this.players.peek();
    const periods = this.periods.peek();
    const sessionMs = this.#sessionMs();
    const scopes = players.map(({ name }) => scopeOf(scope, name, periods, sessionMs));
    const figures = await this.#cache.figuresOf(
      players.map((player, i) => ({ ...player, intervals: scopes[i]?.intervals ?? null })),
      {
        preset: this.settings.preset.peek(),
        zones: this.zones.peek() ?? undefined,
        recipes: this.recipes.peek().named.map(({ recipe }) => recipe),
        mayBeUncounted: true,
      },
    );
    return players.flatMap((member, i) => {
      const [one, its] = [figures[i], scopes[i]];
      if (one === undefined || its === undefined) return [];
      const benchMs = benchTimeMs(its.intervals, played, member.name);
      return { ...squadRow(member, its.period, its.periodMs, one, benchMs), member };
    });
  }

  /** Shows the recordings of a player instead of the squad. */
  async openPlayer({ name, player, recordings, key }: SquadPlayer): Promise<void> {
    this.chosen.value = key;
    if (recordings.length > 0)
      await this.#actions.onPlayer(
        name,
        recordings.map(({ file }) => file),
        this.zones.peek(),
        player,
      );
  }

  /** Ends the workers and frees their data. */
  close(): void {
    this.#stop();
    this.played.end();
    this.#cancelling.abort();
    this.#workers.end();
    this.#actions.onClose();
  }

  #fileOf(recordingId: number): SquadFile | undefined {
    return this.files
      .peek()
      .find(({ state }) => state.name === "recording" && state.recording.id === recordingId);
  }

  #sessionMs(): number {
    return this.#cache.timeWithData(this.shownRecordings.peek(), timeWithData);
  }

  async #compute(): Promise<void> {
    const scope = this.scope.peek();
    const counts = this.recipes.peek().columns;
    this.isComputing.value = true;
    try {
      const rows = await this.rowsOf(scope, this.played.lastKnown());
      this.figures.value = { scope, counts, rows };
    } catch (error) {
      // it was closed in the meantime
      if (!(error instanceof ReadingError)) throw error;
    } finally {
      this.isComputing.value = false;
    }
  }

  #playersNow(): SquadPlayer[] {
    const roster = this.roster.value?.content ?? null;
    const apart = this.keptApart.value;
    const recordings = this.shownRecordings.value;
    const members = squadMembers(
      recordings.filter(({ id }) => !apart.has(id)),
      roster,
    );
    members.push(
      ...squadMembers(
        recordings.filter(({ id }) => apart.has(id)),
        null,
      ),
    );
    const players: SquadPlayer[] = members.map((member) => ({
      ...member,
      key: member.player === null ? `recording ${member.recordings[0]?.id}` : playerKey(member.player),
      failed: null,
    }));
    for (const { id, file, state } of this.#failed.value) {
      if (state.name !== "failed") continue;
      const player = roster === null ? null : playerOfRecording(roster, { serial: "", fileName: file.name });
      if (player !== null && players.some((one) => one.player === player)) continue;
      players.push({
        name: player?.name ?? playerNameOf(file.name),
        player,
        recordings: [],
        leftOut: [],
        key: player === null ? `file ${id}` : playerKey(player),
        failed: state.message,
      });
    }
    return players;
  }

  #sheet(kind: SheetKind): (SheetFile & { fileName: string }) | null {
    const found = this.#sheets.value.findLast(({ state }) => state.name === "sheet" && state.kind === kind);
    if (found?.state.name !== "sheet") return null;
    return { ...found.state, fileName: found.file.name };
  }

  async #readQueue(): Promise<void> {
    this.isReading.value = true;
    const { signal } = this.#cancelling;
    const work = async (worker: number) => {
      for (let id = this.#queue.shift(); id !== undefined; id = this.#queue.shift()) {
        await this.#readFile(id, worker, signal);
      }
    };
    await Promise.all(Array.from({ length: this.#workers.count }, (_, worker) => work(worker)));
    this.ofAnotherSport.value = keysOfAnotherSport(await this.rowsOf({ kind: "session" }));
    batch(() => {
      this.isReading.value = false;
      this.showMatch();
    });
  }

  /** Shows the figures of the match instead of the session, if there are halves. */
  showMatch(): void {
    if (this.scope.peek().kind === "session" && halvesIn(this.periods.value).length > 0) {
      this.scope.value = { kind: "match" };
    }
  }

  async #readFile(id: number, worker: number, signal: AbortSignal): Promise<void> {
    const found = this.files.peek().find((one) => one.id === id);
    if (found === undefined) return;
    const { file, range } = found;
    const sheet = await readSheetFile(file);
    if (sheet === "no reader") {
      this.#setState(id, { name: "left out", why: "Load the page again to read it." });
      return;
    }
    if (sheet !== null) {
      this.#setState(id, sheet.kind === "corners" ? { name: "corners" } : { name: "sheet", ...sheet });
      return;
    }
    const { stored } = this;
    if (stored !== null && range === null) {
      this.#setState(id, {
        name: "left out",
        why: "Load it under Recordings. Here you can add periods.csv and pitch.csv.",
      });
      return;
    }
    this.#setState(id, { name: "reading", bytes: 0 });
    try {
      const read = () =>
        this.#workers.read(found, worker, {
          signal,
          onProgress: (bytes) => this.#setState(id, { name: "reading", bytes }),
        });
      const recording = await (stored === null ? read() : stored.afterSigningIn(read));
      const same = this.recordings.peek().find((other) => isSameRecording(recording, other));
      if (same === undefined) this.#setState(id, { name: "recording", recording });
      else {
        this.#workers.forget(recording);
        this.#setState(id, { name: "left out", why: `The same as ${same.file.name}.` });
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#setState(
        id,
        range === null ? failedState(file, error) : { name: "left out", why: messageOf(error) },
      );
    }
  }

  #setState(id: number, state: FileState): void {
    this.files.value = this.files.peek().map((one) => (one.id === id ? { ...one, state } : one));
  }
}

const LOST: FileState = {
  name: "failed",
  code: "NOT_KEPT",
  message: "This browser no longer has the file. Choose it again; the rest of the session is here.",
};

/** Shown on both sides of a place. */
const AROUND_MS = 60_000;

const playerKey = ({ name }: Player) => `player ${name}`;

const sheetFirst = ({ file }: SquadFile): number => (RECORDING_NAME.test(file.name) ? 1 : 0);

const RECORDING_NAME = /\.(asi|ubx|fit|gpx|tcx)(\.gz)?$/i;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function failedState(file: File, error: unknown): FileState {
  const code = error instanceof ReadingError ? error.failure.code : null;
  if (code === "NOT_A_RECORDING" && !RECORDING_NAME.test(file.name)) {
    return { name: "left out", why: "Not a recording, roster or period file." };
  }
  return { name: "failed", code, message: messageOf(error) };
}
