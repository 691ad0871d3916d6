import { setTimeout as sleep } from "node:timers/promises";
import { isSigned, type Received } from "../test/receiver.js";
import type { Tally } from "./tally.js";

/** An event that a webhook must deliver. */
export interface Announced {
  webhook: number;
  event: string;
  activity: number;
  /** Absent for events of the activity. */
  timeframe?: number;
}

const KIND = "webhook, from response to call";
const SETTLE_MS = 30_000;
/** Time after which an unwanted event would have arrived. */
const QUIET_MS = 1_000;

const keyOf = ({ webhook, event, activity, timeframe }: Announced) =>
  `${event} of activity ${activity}${timeframe === undefined ? "" : `, time frame ${timeframe}`}, at webhook ${webhook}`;

/**
 * Compares the calls of webhooks with the expected events. Each event must arrive once and signed, and no others may
 * arrive.
 */
export class WebhookBook {
  /** Times of announcements and arrivals, by `performance.now()`. An event can arrive before the response. */
  readonly #announced = new Map<string, number[]>();
  readonly #arrived = new Map<string, number[]>();
  readonly #messageIds = new Set<string>();
  readonly #tally: Tally;
  readonly #secret: string;

  constructor(tally: Tally, secret: string) {
    this.#tally = tally;
    this.#secret = secret;
  }

  /** Records that the response to a change has arrived, so its event must be delivered. */
  expect(event: Announced): void {
    this.#note(this.#announced, keyOf(event));
  }

  receive(call: Received): void {
    const id = String(call.headers["webhook-id"]);
    const isSecond = this.#messageIds.has(id);
    this.#messageIds.add(id);
    const fault = !isSigned(call, this.#secret) ? "not signed" : isSecond ? "came twice" : null;
    if (fault !== null) {
      this.#tally.isWrong(KIND, `${fault}: ${call.body}`);
      return;
    }
    const { event, webhook_id: webhook, data } = JSON.parse(call.body);
    const { activity_id: activity, timeframe_id: timeframe } = data;
    this.#note(this.#arrived, keyOf({ webhook, event, activity, timeframe }));
  }

  /** Waits until every event has arrived, and then for unwanted events. Counts missing and additional events. */
  async settle(settleMs = SETTLE_MS, quietMs = QUIET_MS): Promise<void> {
    const deadline = performance.now() + settleMs;
    while (this.#missing().length > 0 && performance.now() < deadline) await sleep(50);
    await sleep(quietMs);
    for (const key of this.#missing()) this.#tally.isWrong(KIND, `did not arrive: ${key}`);
    for (const [key, times] of this.#arrived) {
      const expected = this.#announced.get(key)?.length ?? 0;
      if (times.length > expected) this.#tally.isWrong(KIND, `must not arrive: ${key}`);
    }
  }

  #missing(): string[] {
    return [...this.#announced]
      .filter(([key, times]) => times.length > (this.#arrived.get(key)?.length ?? 0))
      .map(([key]) => key);
  }

  #note(times: Map<string, number[]>, key: string): void {
    const nowMs = performance.now();
    const known = times.get(key) ?? [];
    known.push(nowMs);
    times.set(key, known);
    const [announcedMs, arrivedMs] = [this.#announced, this.#arrived].map(
      (side) => side.get(key)?.[known.length - 1],
    );
    if (announcedMs === undefined || arrivedMs === undefined) return;
    this.#tally.record(KIND, Math.max(0, arrivedMs - announcedMs));
  }
}
