import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError, type Client, type Resource, unwrap } from "asi-client";
import { endReason, pause, RECONNECT_MS, receiveEvents } from "../live-events/events.js";
import {
  type DistanceBefore,
  distancesBefore,
  GAP_MS,
  hasMore,
  type LiveData,
  type LivePlayer,
  withSamples,
} from "./live-player.js";

/** In the state `elsewhere`, a different window follows the session. In `lost`, the user may no longer see it. */
export type FeedState = "connecting" | "live" | "elsewhere" | "lost";

/** After a longer pause, samples are missing, because a stream begins with the newest 300 samples of a device at 10 Hz. */
const PAUSE_MS = 30_000;

type Figures = Resource["SessionFigures"];

/** @throws ApiError, AwayError */
export const loadFigures = async (client: Client, session: number, signal: AbortSignal) => {
  const init = { params: { path: { session } }, signal };
  return (await unwrap(client.GET("/api/v2/sessions/{session}/figures/", init))) as Figures;
};

/** The page does not reconnect for these reasons. */
const AFTER_END: Readonly<Record<string, FeedState>> = {
  replaced: "elsewhere",
  not_permitted: "lost",
  signed_out: "lost",
  too_many_devices: "lost",
};

/** The players of a session, updated as their samples arrive. */
export class SessionFeed {
  readonly players: Signal<ReadonlyMap<number, LivePlayer>> = signal(new Map());
  readonly state: Signal<FeedState> = signal("connecting");
  readonly #client: Client;
  readonly #session: number;
  readonly #before: Signal<ReadonlyMap<number, DistanceBefore>>;
  #lastEventId: string | undefined;
  /** The devices and athletes of this connection. */
  #heard = new Set<string>();
  /** The time at which data last arrived, by the clock, which continues while the computer sleeps. */
  #heardMs = Date.now();
  /** Whether the figures are as new as this connection. */
  #hasFigures = false;
  #stopping = new AbortController();

  constructor(client: Client, figures: Figures) {
    this.#client = client;
    this.#session = figures.session;
    this.#before = signal(distancesBefore(figures));
  }

  /** The distances of the figures, by athlete. */
  get before(): ReadonlySignal<ReadonlyMap<number, DistanceBefore>> {
    return this.#before;
  }

  /** Follows the session until `stop`, or until a different window follows it. */
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
    const last = this.#lastEventId;
    this.#heard = new Set();
    this.#hasFigures = false;
    try {
      if (Date.now() - this.#heardMs > PAUSE_MS) await this.#loadFigures(stopped);
      const connect = (signal: AbortSignal) =>
        unwrap(
          this.#client.GET("/api/v2/sessions/{session}/live/", {
            params: { path: { session: this.#session } },
            headers: {
              Accept: "text/event-stream",
              ...(last === undefined ? {} : { "Last-Event-ID": last }),
            },
            parseAs: "stream",
            signal,
          }),
        );
      const heard = () => {
        this.#heardMs = Date.now();
      };
      for await (const { event, data, id } of receiveEvents(connect, stopped, heard)) {
        if (event === "end") {
          this.state.value = AFTER_END[endReason(data)] ?? "connecting";
          return;
        }
        this.state.value = "live";
        if (id !== undefined) this.#lastEventId = id;
        if (event === "samples") this.#take(JSON.parse(data) as LiveData, stopped);
      }
    } catch (error) {
      // the loop reconnects after any other error
      if (error instanceof ApiError && [403, 404, 409].includes(error.status)) this.state.value = "lost";
    }
  }

  #take(data: LiveData, stopped: AbortSignal): void {
    const { athlete, device, samples } = data;
    if (athlete === null) return;
    const players = this.players.peek();
    const known = players.get(athlete);
    const key = `${device} ${athlete}`;
    const isFirst = !this.#heard.has(key);
    this.#heard.add(key);
    const lastMs = known?.tracks.get(device)?.ms;
    const [first] = samples;
    const isGap =
      isFirst && lastMs !== undefined && first !== undefined && first["gnss.timestamp"] - lastMs > GAP_MS;
    const arrival = { heardMs: performance.now(), nowMs: Date.now(), isFirst };
    const next = withSamples(known, data, arrival, this.#before.peek().get(athlete));
    if (next !== undefined) this.players.value = new Map(players).set(athlete, next);
    // even after a shorter pause, more samples can be missing than those with which a stream begins
    if (isGap && !this.#hasFigures) void this.#loadFigures(stopped);
  }

  /** Reloads the distances, because samples are missing. */
  async #loadFigures(stopped: AbortSignal): Promise<void> {
    this.#hasFigures = true;
    const figures = await loadFigures(this.#client, this.#session, stopped).catch(() => null);
    // The samples are usable without distances. The next connection loads them.
    if (figures === null) return;
    const before = new Map(this.#before.peek());
    const players = new Map(this.players.peek());
    for (const [athlete, next] of distancesBefore(figures)) {
      const player = players.get(athlete);
      if (player !== undefined && !hasMore(next, before.get(athlete), player)) continue;
      before.set(athlete, next);
      if (player !== undefined) players.set(athlete, { ...player, addedM: 0 });
    }
    batch(() => {
      this.#before.value = before;
      this.players.value = players;
    });
  }
}
