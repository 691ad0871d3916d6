import { type Signal, signal } from "@preact/signals";
import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import { readEvents } from "../recordings/read-events.js";

/** `elsewhere`: another window follows the session; `lost`: the user may no longer see it. */
export type FeedState = "connecting" | "live" | "elsewhere" | "lost";

/** The service sends at least one comment every 15 s. */
const SILENCE_MS = 40_000;
const RECONNECT_MS = 3_000;

/** Reasons after which the page does not connect again. */
const AFTER_END: Readonly<Record<string, FeedState>> = {
  replaced: "elsewhere",
  not_permitted: "lost",
  signed_out: "lost",
  too_many_devices: "lost",
};

/** A longer step between two samples is a gap, over which nobody is known to have run. */
const GAP_MS = 5_000;
/** How long the earlier positions of a player are kept. */
const TRAIL_MS = 10_000;

interface LiveSample {
  "gnss.latitude": number;
  "gnss.longitude": number;
  "gnss.speed": number;
  "gnss.timestamp": number;
  "ecg.hr": number | null;
}

interface LiveData {
  device: number;
  athlete: number | null;
  samples: readonly LiveSample[];
}

export interface Position {
  ms: number;
  latitude: number;
  longitude: number;
}

/** What is known of a player now. */
export interface LivePlayer {
  athlete: number;
  /** m/s */
  speed: number;
  /** Newest last. */
  trail: readonly Position[];
  /** Time of the newest sample. */
  ms: number;
  heart: { bpm: number; ms: number } | null;
  /** Distance since `DistanceBefore.endMs`, m. */
  addedM: number;
}

/** The distance of a player in the figures of the service. */
export interface DistanceBefore {
  metres: number;
  endMs: number;
}

/** Adds samples to what is known of a player. @param samples in order of time, all newer than those before */
export function withSamples(
  athlete: number,
  known: LivePlayer | undefined,
  samples: readonly LiveSample[],
  before: DistanceBefore | undefined,
): LivePlayer | undefined {
  let player = known;
  for (const sample of samples) {
    const ms = sample["gnss.timestamp"];
    // late samples of another device of the player
    if (player !== undefined && ms <= player.ms) continue;
    const bpm = sample["ecg.hr"];
    const speed = sample["gnss.speed"];
    const stepMs = player === undefined ? 0 : ms - player.ms;
    const isCounted = player !== undefined && stepMs <= GAP_MS && player.ms >= (before?.endMs ?? 0);
    player = {
      athlete,
      speed,
      ms,
      heart: bpm === null ? (player?.heart ?? null) : { bpm, ms },
      addedM:
        (player?.addedM ?? 0) + (isCounted ? (((player?.speed ?? 0) + speed) / 2) * (stepMs / 1000) : 0),
      trail: [
        ...(player?.trail ?? []).filter((one) => one.ms >= ms - TRAIL_MS),
        { ms, latitude: sample["gnss.latitude"], longitude: sample["gnss.longitude"] },
      ],
    };
  }
  return player;
}

/** The players of a session as their samples arrive. */
export class SessionFeed {
  readonly players: Signal<ReadonlyMap<number, LivePlayer>> = signal(new Map());
  readonly state: Signal<FeedState> = signal("connecting");
  readonly #client: Client;
  readonly #session: number;
  readonly #before: ReadonlyMap<number, DistanceBefore>;
  #lastEventId: string | undefined;
  #stopping = new AbortController();

  /** @param before by athlete */
  constructor(client: Client, session: number, before: ReadonlyMap<number, DistanceBefore>) {
    this.#client = client;
    this.#session = session;
    this.#before = before;
  }

  /** Follows the session until `stop`, or until another window does. */
  async start(): Promise<void> {
    this.stop();
    this.#stopping = new AbortController();
    const { signal: stopped } = this.#stopping;
    this.state.value = "connecting";
    while (!stopped.aborted) {
      await this.#receive(stopped);
      if (stopped.aborted || this.state.peek() === "elsewhere" || this.state.peek() === "lost") return;
      this.state.value = "connecting";
      await pause(RECONNECT_MS, stopped);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #receive(stopped: AbortSignal): Promise<void> {
    const silent = new AbortController();
    let timer = setTimeout(() => silent.abort(), SILENCE_MS);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE_MS);
    };
    const last = this.#lastEventId;
    try {
      const stream = await unwrap(
        this.#client.GET("/api/v2/sessions/{session}/live/", {
          params: { path: { session: this.#session } },
          headers: { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) },
          parseAs: "stream",
          signal: AbortSignal.any([stopped, silent.signal]),
        }),
      );
      if (stream === null) return;
      for await (const { event, data, id } of readEvents(stream as ReadableStream<Uint8Array>, heard)) {
        if (event === "end") {
          this.state.value = AFTER_END[(JSON.parse(data) as { reason: string }).reason] ?? "connecting";
          return;
        }
        this.state.value = "live";
        if (id !== undefined) this.#lastEventId = id;
        if (event === "samples") this.#take(JSON.parse(data) as LiveData);
      }
    } catch (error) {
      // for any other error, another connection is tried
      if (error instanceof ApiError && [403, 404, 409].includes(error.status)) this.state.value = "lost";
    } finally {
      clearTimeout(timer);
    }
  }

  #take({ athlete, samples }: LiveData): void {
    if (athlete === null) return;
    const known = this.players.peek();
    const next = withSamples(athlete, known.get(athlete), samples, this.#before.get(athlete));
    if (next !== undefined) this.players.value = new Map(known).set(athlete, next);
  }
}

const pause = (ms: number, stopped: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The distances in the figures of a session, by athlete. */
export const distancesBefore = ({ rows }: Resource["SessionFigures"]): Map<number, DistanceBefore> =>
  new Map(
    rows.flatMap(({ athlete, period, end, figures }) => {
      const { distance_m: metres } = figures as { distance_m?: number | null };
      return period !== null || end === null || metres == null
        ? []
        : [[athlete, { metres, endMs: Date.parse(end) }] as const];
    }),
  );
