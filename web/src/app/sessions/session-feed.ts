import { type Signal, signal } from "@preact/signals";
import { ApiError, type Client, unwrap } from "asi-client";
import { readEvents } from "../recordings/read-events.js";
import { type DistanceBefore, type LiveData, type LivePlayer, withSamples } from "./live-player.js";

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

/** The players of a session as their samples arrive. */
export class SessionFeed {
  readonly players: Signal<ReadonlyMap<number, LivePlayer>> = signal(new Map());
  readonly state: Signal<FeedState> = signal("connecting");
  readonly #client: Client;
  readonly #session: number;
  readonly #before: ReadonlyMap<number, DistanceBefore>;
  #lastEventId: string | undefined;
  /** Devices and athletes of this connection. */
  #heard = new Set<string>();
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
    this.#heard = new Set();
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

  #take(data: LiveData): void {
    const { athlete, device } = data;
    if (athlete === null) return;
    const players = this.players.peek();
    const key = `${device} ${athlete}`;
    const arrival = { heardMs: performance.now(), nowMs: Date.now(), isFirst: !this.#heard.has(key) };
    this.#heard.add(key);
    const next = withSamples(players.get(athlete), data, arrival, this.#before.get(athlete));
    if (next !== undefined) this.players.value = new Map(players).set(athlete, next);
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
