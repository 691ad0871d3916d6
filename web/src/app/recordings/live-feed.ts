import { batch, type Signal, signal } from "@preact/signals";
import { type Client, type Resource, unwrap } from "asi-client";
import { isOfAnother, latestSamples } from "../devices/latest.js";
import { endReason, pause, RECONNECT_MS, receiveEvents } from "../live-events/events.js";

export type Sample = Resource["RawDataSample"];

/**
 * In the state `live`, samples arrive as the service stores them. In `polling`, the page receives no events and requests samples every few
 * seconds. In `elsewhere`, a different window follows the device. In `lost`, the manager no longer owns the device.
 */
export type FeedState = "connecting" | "live" | "polling" | "elsewhere" | "lost";

const POLL_MS = 5_000;
/** The page polls after this number of connections without an event. It reconnects after this number of polls. */
const MAX_FAILURES = 2;
const POLLS = 12;
/** The number of samples in 10 s at 10 Hz. Not every sample has a heart rate. */
const POLLED_SAMPLES = 100;

/** The next state by the reason why the service ends a connection. */
const AFTER_END: Readonly<Record<string, FeedState>> = { replaced: "elsewhere", not_permitted: "lost" };

/** The newest sample of a device. */
export class LiveFeed {
  /** The newest sample. It is undefined while it is unknown, and null if the device has none. */
  readonly latest: Signal<Sample | null | undefined> = signal(undefined);
  /** The newest sample with a heart rate, or null if there is none. */
  readonly heartRate: Signal<Sample | null> = signal(null);
  readonly state: Signal<FeedState> = signal("connecting");
  readonly #client: Client;
  readonly #device: number;
  #stopping = new AbortController();

  constructor(client: Client, device: number) {
    this.#client = client;
    this.#device = device;
  }

  /** Follows the device until `stop`, or until a different window follows it. */
  async start(): Promise<void> {
    this.stop();
    this.#stopping = new AbortController();
    const { signal: stopped } = this.#stopping;
    this.state.value = "connecting";
    let failures = 0;
    while (!stopped.aborted) {
      try {
        await this.#poll(stopped);
        failures = (await this.#receive(stopped)) ? 0 : failures + 1;
      } catch (error) {
        if (isOfAnother(error)) this.state.value = "lost";
        failures += 1;
      }
      if (stopped.aborted || this.state.peek() === "elsewhere" || this.state.peek() === "lost") return;
      if (failures >= MAX_FAILURES) await this.#pollForAWhile(stopped);
      else await pause(RECONNECT_MS, stopped);
    }
  }

  /** Requests the newest sample, because the stream contains only newer samples, and only those from the manager's ownership. */
  async refresh(): Promise<void> {
    const { signal: stopped } = this.#stopping;
    // the loop repeats a failed request, and reports it
    if (!stopped.aborted) await this.#poll(stopped).catch(() => undefined);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Receives events until the connection ends.
   * @returns whether an event arrived
   */
  async #receive(stopped: AbortSignal): Promise<boolean> {
    let isOfUse = false;
    let isFirst = true;
    try {
      const connect = (signal: AbortSignal) =>
        unwrap(
          this.#client.GET("/api/v1/devices/{device}/live/", {
            params: { path: { device: this.#device } },
            headers: { Accept: "text/event-stream" },
            parseAs: "stream",
            signal,
          }),
        );
      for await (const { event, data } of receiveEvents(connect, stopped)) {
        isOfUse = true;
        if (event === "samples") {
          this.state.value = "live";
          const samples = (JSON.parse(data) as Sample[]).reverse();
          const known = this.latest.peek()?.["gnss.timestamp"];
          this.#take(samples);
          // the first event has only the newest sample, and lacks earlier ones that were stored after the request
          if (isFirst && samples[0]?.["gnss.timestamp"] !== known) await this.#poll(stopped);
          isFirst = false;
        } else if (event === "end") {
          this.state.value = AFTER_END[endReason(data)] ?? "connecting";
        } else {
          // The connection is open. For a device without a new sample, the service sends nothing else.
          this.state.value = "live";
        }
      }
    } catch (error) {
      // the loop reconnects after any other error
      if (isOfAnother(error)) throw error;
    }
    return isOfUse;
  }

  async #pollForAWhile(stopped: AbortSignal): Promise<void> {
    for (let i = 0; i < POLLS && !stopped.aborted; i++) {
      try {
        await this.#poll(stopped);
        this.state.value = "polling";
      } catch (error) {
        if (!isOfAnother(error)) this.state.value = "connecting";
        else {
          this.state.value = "lost";
          return;
        }
      }
      await pause(POLL_MS, stopped);
    }
  }

  async #poll(stopped: AbortSignal): Promise<void> {
    const samples = await latestSamples(this.#client, this.#device, POLLED_SAMPLES, stopped);
    // The response is the newest sample. It is older than the previous one if samples were erased.
    batch(() => {
      this.latest.value = null;
      this.#take(samples);
    });
  }

  /** @param samples newest first; outdated ones change nothing */
  #take(samples: readonly Sample[]): void {
    const heartRate = samples.find((sample) => sample["ecg.hr"] !== null);
    if (replaces(heartRate, this.heartRate.peek())) this.heartRate.value = heartRate;
    const [newest] = samples;
    if (replaces(newest, this.latest.peek())) this.latest.value = newest;
  }
}

/** Returns whether a sample replaces the displayed one. A sample with a time in the future is not displayed before that time. */
function replaces(next: Sample | undefined, shown: Sample | null | undefined): next is Sample {
  if (next === undefined || shown === null || shown === undefined) return next !== undefined;
  const shownMs = shown["gnss.timestamp"];
  return next["gnss.timestamp"] >= shownMs || shownMs > Date.now();
}
