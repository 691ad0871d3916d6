import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import {
  benchOf,
  findSessions,
  type Interval,
  mainInterval,
  namesIn,
  ofAnotherSport,
  type Roster,
  type SessionPeriod,
  type SessionTime,
  type SquadColumn,
  sessionTime,
  squadRow,
  type ZoneKind,
} from "asi-convert/squad";
import type { SheetKind } from "asi-convert/squad-sheets";
import type { OpenRecording } from "../recording/squad/squad-recording.js";
import { oneAtATime } from "../view/latest.js";
import type { Settings } from "../view/settings.js";
import { zoneName } from "../view/times.js";
import { isOutdated } from "../view/use-loaded.js";
import type { TimeWindow } from "../view/window.js";
import { FigureCache } from "./figure-cache.js";
import { type Ignored, idsOf } from "./ignored.js";
import { type AttackSide, PeriodSteps } from "./period-steps.js";
import { Played } from "./played.js";
import { periodsIn, type ReadSheet, rosterIn } from "./read-sheets.js";
import type { ChosenRecipes } from "./recipes/chosen-recipes.js";
import { halvesIn, type Scope, scopeOf } from "./scope.js";
import { FIRST_SORT, type Sort } from "./shown-order.js";
import { sessionWith } from "./shown-session.js";
import type { SheetFile, SquadFile } from "./squad-file.js";
import { messageOf, SquadFiles } from "./squad-files.js";
import { type PlayerRow, playersOf, type SquadPlayer } from "./squad-player.js";
import type { StoredSession } from "./stored-session.js";
import type { SquadWorkers } from "./workers.js";

export type { PlayerRow, SquadPlayer };

/** Actions of the surrounding page that the squad uses. */
export interface SquadActions {
  /**
   * Replaces the squad view with the recordings of a player, under the player's name.
   * @param zones the individual zones of the squad
   */
  onPlayer: (player: SquadPlayer, zones: ZoneKind | null) => Promise<void>;
  onClose: (session: SquadSession) => void;
}

/** The rows of a scope, computed together. */
export interface ShownFigures {
  scope: Scope;
  /** The columns of the recipes and optional figures in the rows. */
  counts: readonly SquadColumn[];
  /** The rows in the order of `players`. */
  rows: readonly PlayerRow[];
}

/**
 * The state of the squad view in signals. Data from the user or from files are `Signal`s, derived data are `ReadonlySignal`s. Times are ms
 * since 1970 UTC.
 */
export class SquadSession {
  /** Opens and reads files. */
  readonly opened: SquadFiles;
  readonly files: ReadonlySignal<readonly SquadFile[]>;
  readonly isReading: ReadonlySignal<boolean>;
  /** The problems and suggestions that the user has dismissed. */
  readonly ignored: Signal<readonly Ignored[]> = signal([]);
  /** Trackers assigned by the user, as serial numbers by the names of the players in the roster. */
  readonly trackerNames: Signal<ReadonlyMap<string, string>> = signal(new Map());
  /** Recordings with separate rows, although the roster or their tracker assigns them to one player. */
  readonly keptApart: Signal<ReadonlySet<number>> = signal(new Set());

  /** All recordings that were read, including those from other sessions. */
  readonly recordings: ReadonlySignal<readonly OpenRecording[]>;
  /** Recordings by the time of their sessions, in ascending order. */
  readonly sessions: ReadonlySignal<readonly (readonly OpenRecording[])[]>;
  /** The recording that selects the current session. Null selects the largest session. */
  readonly sessionOf: Signal<number | null> = signal(null);
  /** Recordings of the current session. */
  readonly shownRecordings: ReadonlySignal<readonly OpenRecording[]>;
  /** The time from the first row to the end of the last, without rows of another time. It is null until there is a row. */
  readonly interval: ReadonlySignal<Interval | null>;
  /** The time that the figures of the session cover, from the recordings that count. */
  readonly time: ReadonlySignal<SessionTime>;

  /** The roster, with the code that read it. The roster of a session in the service does not come from a file. */
  readonly roster: ReadonlySignal<(ReadSheet<Roster> & { reader: SheetFile["reader"] | null }) | null>;
  readonly periodsOfFile: ReadonlySignal<ReadSheet<readonly SessionPeriod[]> | null>;
  /** The periods that the user created or changed, or null for those of the file. */
  readonly editedPeriods: ReadonlySignal<readonly SessionPeriod[] | null>;
  readonly periods: ReadonlySignal<readonly SessionPeriod[]>;
  /** The side of the map towards which the team attacks, by period name. Unknown for other periods. */
  readonly attack: ReadonlySignal<ReadonlyMap<string, AttackSide>>;
  /** Changes periods and sides. Users can undo these changes. */
  readonly periodSteps: PeriodSteps;
  /** When players were on the pitch. */
  readonly played: Played;
  /** The rows, in the order of the roster. */
  readonly players: ReadonlySignal<readonly SquadPlayer[]>;
  /** Names that periods may contain. They are those of the rows, and of players of the roster without a recording. */
  readonly names: ReadonlySignal<readonly string[]>;

  /** The scope of the figures. */
  readonly scope: Signal<Scope> = signal({ kind: "session" });
  /** Exact figures of a scope. The previous ones stay while others are computed. */
  readonly figures: Signal<ShownFigures> = signal({ scope: { kind: "session" }, counts: [], rows: [] });
  readonly isComputing: Signal<boolean> = signal(false);
  /** Why they cannot be computed. */
  readonly problem: Signal<string | null> = signal(null);

  /** Keys of players whose recordings look like a faster sport. */
  readonly ofAnotherSport: ReadonlySignal<ReadonlySet<string>>;
  /** The highest speed that counts, m/s. Without figures, it is infinite. */
  readonly limitMPerS: ReadonlySignal<number> = computed(
    () =>
      this.figures.value.rows.find(({ metrics }) => metrics)?.metrics?.definition.parameters
        .max_valid_speed ?? Infinity,
  );

  /** The visible part of the clock, or null for the whole session. */
  readonly zoom: Signal<TimeWindow | null> = signal(null);
  readonly cursorMs: Signal<number | null> = signal(null);
  /** Key of the selected player. */
  readonly chosen: Signal<string | null> = signal(null);
  readonly sort: Signal<Sort> = signal(FIRST_SORT);
  readonly isPerMinute: Signal<boolean> = signal(false);
  readonly isByPosition: Signal<boolean> = signal(false);
  /** Individual zones, or null for fixed limits. */
  readonly zones: Signal<ZoneKind | null> = signal(null);
  /** Recipes and optional figures that are computed too. */
  readonly recipes: Signal<ChosenRecipes> = signal({ named: [], optionalFigures: [], columns: [] });

  readonly settings: Settings;
  /** The session of the service, or null for files. */
  readonly stored: StoredSession | null;
  readonly #actions: SquadActions;
  readonly #cache: FigureCache;
  readonly #stop: () => void;

  constructor(
    settings: Settings,
    workers: SquadWorkers,
    actions: SquadActions,
    stored: StoredSession | null = null,
  ) {
    this.settings = settings;
    this.stored = stored;
    this.#actions = actions;
    this.#cache = new FigureCache(workers);
    this.opened = new SquadFiles(workers, stored, {
      onSheet: (kind) => this.#takeSheet(kind),
      onShown: () => this.showMatch(),
    });
    this.files = this.opened.files;
    this.isReading = this.opened.isReading;
    this.recordings = this.opened.recordings;
    this.sessions = computed(() => findSessions(this.recordings.value));
    this.shownRecordings = computed(() => sessionWith(this.sessionOf.value, this.sessions.value));
    this.interval = computed(() =>
      this.shownRecordings.value.length === 0 ? null : mainInterval(this.shownRecordings.value),
    );
    this.time = computed(() => sessionTime(this.players.value.flatMap(({ recordings }) => recordings)));
    this.roster = computed(() => {
      if (stored !== null) return { fileName: "", content: stored.roster, problems: [], reader: null };
      const found = this.opened.sheet("roster");
      return found === null ? null : rosterIn(found, this.trackerNames.value);
    });
    this.players = computed(() =>
      playersOf({
        recordings: this.shownRecordings.value,
        apart: this.keptApart.value,
        failed: this.opened.failed.value,
        roster: this.roster.value?.content ?? null,
      }),
    );
    this.ofAnotherSport = computed(
      () => new Set(ofAnotherSport(this.players.value, this.limitMPerS.value).map(({ key }) => key)),
    );
    this.names = computed(() => namesIn(this.players.value, this.roster.value?.content ?? null));
    this.periodsOfFile = computed(() => {
      const found = this.opened.sheet("periods");
      const session = this.interval.value;
      if (found === null || session === null) return null;
      const timeZone = zoneName(this.settings.zone.value);
      return periodsIn(found, { session, timeZone, players: this.names.value });
    });
    this.periodSteps = new PeriodSteps(
      computed(() => {
        // the periods of a session in the service belong to it, whichever of its recordings are shown
        const all = stored === null ? idsOf(this.recordings.value) : [STORED_ID];
        const recordings = stored === null ? idsOf(this.shownRecordings.value) : all;
        return { recordings, all, interval: this.interval.value };
      }),
    );
    this.editedPeriods = this.periodSteps.periods;
    this.attack = this.periodSteps.attack;
    this.periods = computed(
      () => this.editedPeriods.value ?? this.periodsOfFile.value?.content ?? stored?.periods ?? [],
    );
    this.played = new Played(this);
    const compute = oneAtATime(() => this.#compute());
    const stopFollowing = effect(() => {
      const scope = this.scope.value;
      // undo or other periods from a file have removed it
      const isGone = scope.kind === "period" && !this.periods.value.some(({ name }) => name === scope.name);
      if (isGone && !this.isReading.value) this.scope.value = { kind: "session" };
    });
    const stopComputing = effect(() => {
      // these signals are inputs of the figures
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

  /** Shows a part of a recording on the clock, with the time around it. */
  showPlace(recording: OpenRecording, { startMs, endMs }: Interval): void {
    this.zoom.value = { startMs: startMs - AROUND_MS, stopMs: endMs + AROUND_MS };
    this.cursorMs.value = startMs;
    this.chosen.value =
      this.players.peek().find(({ recordings }) => recordings.includes(recording))?.key ?? null;
  }

  /** A new sheet replaces earlier changes, if there are any. */
  async #takeSheet(kind: SheetKind): Promise<void> {
    if (this.editedPeriods.peek() === null && this.trackerNames.peek().size === 0) return;
    const part = await import("./take-sheet.js").catch(() => null);
    if (part === null) isOutdated.value = true;
    else part.takeSheet(this, kind);
  }

  /** Returns the rows of any scope, as for files and reports. @param played when players were on the pitch */
  async rowsOf(scope: Scope, played = this.played.now()): Promise<PlayerRow[]> {
    const players = this.players.peek();
    const periods = this.periods.peek();
    const time = this.time.peek();
    const scopes = players.map(({ name }) => scopeOf(scope, name, periods, time));
    const figures = await this.#cache.figuresOf(
      players.map((player, i) => ({ ...player, intervals: scopes[i]?.intervals ?? null })),
      {
        preset: this.settings.preset.peek(),
        zones: this.zones.peek() ?? undefined,
        recipes: this.recipes.peek().named.map(({ recipe }) => recipe),
        optionalFigures: this.recipes.peek().optionalFigures,
        mayBeUncounted: true,
      },
    );
    return players.flatMap((member, i) => {
      const [one, its] = [figures[i], scopes[i]];
      if (one === undefined || its === undefined) return [];
      const bench = benchOf(played, member.name)(scope.kind === "session" ? null : its.intervals);
      return { ...squadRow(member, its.period, its.periodMs, one, bench), member };
    });
  }

  /** Shows the recordings of a player instead of the squad. */
  async openPlayer(one: SquadPlayer): Promise<void> {
    this.chosen.value = one.key;
    if (one.recordings.length > 0) await this.#actions.onPlayer(one, this.zones.peek());
  }

  /** Ends the workers and frees their data. */
  close(): void {
    this.#stop();
    this.played.end();
    this.opened.close();
    this.#actions.onClose(this);
  }

  async #compute(): Promise<void> {
    const scope = this.scope.peek();
    const counts = this.recipes.peek().columns;
    this.isComputing.value = true;
    try {
      const rows = await this.rowsOf(scope, this.played.lastKnown());
      this.figures.value = { scope, counts, rows };
      this.problem.value = null;
    } catch (error) {
      // a closed session, whose workers have ended, is not shown
      this.problem.value = messageOf(error);
    } finally {
      this.isComputing.value = false;
    }
  }

  /** Shows the figures of the match instead of the session, if there are halves. */
  showMatch(): void {
    if (this.scope.peek().kind === "session" && halvesIn(this.periods.value).length > 0) {
      this.scope.value = { kind: "match" };
    }
  }
}

/** Identifies the session of the service among the recordings, whose ids begin with 1. */
const STORED_ID = 0;

/** Time that is shown on both sides of a place. */
const AROUND_MS = 60_000;
