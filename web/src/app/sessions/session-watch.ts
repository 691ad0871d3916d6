import { computed, effect, type Signal, signal } from "@preact/signals";
import { ApiError } from "asi-client";
import type { FollowedSession } from "../../squad/stored-session.js";
import { route } from "../../view/route.js";
import { AwayError, timesReturned } from "../connection.js";
import { FIRST_PAUSE_MS, LONGEST_PAUSE_MS } from "../parts/request.js";
import { type LoadedSession, playersIn } from "./load-session.js";
import type { PeriodSaver } from "./period-saver.js";
import { periodsOfRows } from "./stored-periods.js";
import { missingIn, type Worn } from "./stored-session.js";
import { settled } from "./unsaved-periods.js";

/** A session with the players and devices of the squad view. */
export interface Loaded extends LoadedSession {
  worn: Worn;
}

type Tags = Pick<LoadedSession, "figuresTag" | "periodsTag">;

interface Watched {
  loaded: Loaded;
  saver: Pick<PeriodSaver, "saving" | "tag" | "isStored">;
  hasOtherTags: (tags: Tags, signal: AbortSignal) => Promise<boolean>;
  load: (signal: AbortSignal) => Promise<Loaded>;
  /** Whether the user sees the squad, and not the recordings of a player. */
  isSquadShown: () => boolean;
  /** Opens the session again with its current content. */
  reopen: () => void;
}

const PRECONDITION_FAILED = 412;

/** Whether the viewer is shown, at the address of the session or at `#/`. */
export const isViewerShown = computed(() => (route.value?.path.length ?? 0) === 0);

/** Opens a session of the service again if it has changed when the user returns to its squad. */
export class SessionWatch {
  /** What is known about the session in the service. A changed session with unsaved changes is not opened again. */
  readonly state: Signal<"current" | "changed" | "unknown"> = signal("current");
  readonly #watched: Watched;
  #figuresTag: string | null;
  #checking = new AbortController();

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#figuresTag = watched.loaded.figuresTag;
  }

  /** Checks the session on each return until the returned function is called. */
  follow({ files, attack }: Pick<FollowedSession, "files" | "attack">): () => void {
    const { saver, loaded } = this.#watched;
    const hasOwnInput = () => attack.peek().size > 0 || files.peek().some(isOwn);
    let isFirst = true;
    const stopChecking = effect(() => {
      // the check is repeated when the service is available again
      timesReturned.value;
      this.#checking.abort();
      this.#checking = new AbortController();
      const { signal } = this.#checking;
      if (isViewerShown.value && (!isFirst || loaded.figures.computing.length > 0))
        queueMicrotask(() => this.#check(signal, hasOwnInput));
      isFirst = false;
    });
    const stopFollowing = effect(() => {
      const { value } = saver.saving;
      const error = value.name === "failed" ? value.error : null;
      if (error instanceof ApiError && error.status === PRECONDITION_FAILED) this.state.value = "changed";
    });
    return () => {
      stopChecking();
      stopFollowing();
      this.#checking.abort();
    };
  }

  async #check(signal: AbortSignal, hasOwnInput: () => boolean): Promise<void> {
    const { saver, isSquadShown, reopen } = this.#watched;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        // the user's own changes also change the tags
        await settled(saver.saving);
        const found = await this.#look(signal);
        signal.throwIfAborted();
        if (found.isChanged) {
          const isUnsaved = saver.saving.peek().name !== "saved" || hasOwnInput() || !isSquadShown();
          if (isUnsaved) this.state.value = "changed";
          else reopen();
          return;
        }
        this.state.value = "current";
        if (!found.isComputing) return;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        signal.throwIfAborted();
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof AwayError)) this.state.value = "unknown";
    }
  }

  async #look(signal: AbortSignal): Promise<{ isChanged: boolean; isComputing: boolean }> {
    const { loaded, saver, hasOtherTags, load } = this.#watched;
    const tags = { figuresTag: this.#figuresTag, periodsTag: saver.tag };
    const isSame = this.#figuresTag !== null && !(await hasOtherTags(tags, signal));
    if (isSame) return { isChanged: false, isComputing: false };
    const now = await load(signal);
    // the user's own change was saved, or is being saved, during the requests
    if (saver.tag !== tags.periodsTag || saver.saving.peek().name === "saving")
      return { isChanged: false, isComputing: true };
    const isComputing = now.figures.computing.length > 0;
    const periods = periodsOfRows(now.periods, playersIn(now.figures));
    const isChanged = contentOf(now) !== contentOf(loaded) || !saver.isStored(periods);
    if (!isChanged && !isComputing) {
      this.#figuresTag = now.figuresTag;
      saver.tag = now.periodsTag;
    }
    return { isChanged, isComputing };
  }
}

/** Corners of the pitch, corrected clocks and directions of play are lost when the session is opened again. */
const isOwn = ({ state }: FollowedSession["files"]["value"][number]): boolean =>
  state.name === "corners" || (state.name === "recording" && state.recording.shiftMs !== 0);

/** Returns the content of the squad view without periods. The figures of the whole session change with its samples. */
const contentOf = (loaded: Loaded): string =>
  JSON.stringify([
    loaded.session.name,
    loaded.session.sport,
    loaded.role,
    loaded.worn.players,
    [...loaded.worn.ranges],
    missingIn(loaded),
    loaded.figures.rows
      .filter(({ period }) => period === null)
      .map(({ start, end, figures }) => [start, end, figures]),
  ]);
