import { effect } from "@preact/signals";
import { createClient, type Resource } from "asi-client";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { LivePlayer } from "../src/app/sessions/live-player.js";
import { SessionFeed } from "../src/app/sessions/session-feed.js";

const ATHLETE = 12;
const DEVICE = 3;
const START_MS = Date.UTC(2026, 4, 16, 12);

const figures = (metres: number, endMs: number) =>
  ({
    session: 7,
    rows: [
      {
        athlete: ATHLETE,
        period: null,
        end: new Date(endMs).toISOString(),
        figures: { distance_m: metres },
      },
    ],
  }) as unknown as Resource["SessionFigures"];

/** Returns an event with the samples of some seconds of a player who runs at 3 m/s, 10 samples per second. */
const samples = (fromMs: number, seconds: number) => {
  const data = {
    device: DEVICE,
    athlete: ATHLETE,
    samples: Array.from({ length: seconds * 10 }, (_, i) => ({
      "gnss.latitude": 47.37,
      "gnss.longitude": 8.55,
      "gnss.speed": 3,
      "gnss.timestamp": fromMs + i * 100,
      "ecg.hr": null,
    })),
  };
  return `id: 1\nevent: samples\ndata: ${JSON.stringify(data)}\n\n`;
};

/** Returns a fake service with a session. */
function fakeService() {
  const requests: string[] = [];
  let current = figures(0, START_MS);
  let isConnected = () => {};
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const client = createClient({
    baseUrl: "http://service.test",
    fetch: async ({ url }) => {
      const name = url.includes("/live/") ? "live" : "figures";
      requests.push(name);
      if (name === "figures") return Response.json(current);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller;
        },
      });
      isConnected();
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  return {
    client,
    requests,
    /** Follows the session. */
    connect: (feed: SessionFeed) =>
      new Promise<void>((resolve) => {
        isConnected = resolve;
        void feed.start();
      }),
    send: (text: string) => stream?.enqueue(new TextEncoder().encode(text)),
    setFigures: (next: Resource["SessionFigures"]) => {
      current = next;
    },
  };
}

const metresIn = (feed: SessionFeed) =>
  (feed.before.value.get(ATHLETE)?.metres ?? 0) + (feed.players.value.get(ATHLETE)?.addedM ?? 0);

/** Resolves when the feed satisfies the condition. */
const until = (feed: SessionFeed, isWanted: (player: LivePlayer | undefined, metres: number) => boolean) =>
  new Promise<void>((resolve) => {
    effect(() => {
      if (isWanted(feed.players.value.get(ATHLETE), metresIn(feed))) resolve();
    });
  });

const sampleAt = (ms: number) => (player: LivePlayer | undefined) => player?.shown.ms === ms;

/** Starts a feed that has followed a minute, which is 180 m less the last step. */
async function followedMinute() {
  const clock = vi.spyOn(Date, "now").mockReturnValue(START_MS + 60_000);
  const service = fakeService();
  const feed = new SessionFeed(service.client, figures(1000, START_MS));
  await service.connect(feed);
  service.send(samples(START_MS, 60));
  await until(feed, sampleAt(START_MS + 59_900));
  expect(metresIn(feed)).toBeCloseTo(1000 + 3 * 59.9);
  return { clock, service, feed };
}

describe("the distances of a running session", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("are reloaded after a pause, before the samples that follow", async () => {
    const { clock, service, feed } = await followedMinute();
    feed.stop();
    // Ten minutes later, the figures end half a minute earlier, where the stream begins.
    const laterMs = START_MS + 660_000;
    clock.mockReturnValue(laterMs);
    service.setFigures(figures(2800, laterMs - 30_000));
    await service.connect(feed);
    service.send(samples(laterMs - 30_000, 30));
    await until(feed, sampleAt(laterMs - 100));
    expect(metresIn(feed)).toBeCloseTo(2800 + 3 * 29.9);
    expect(service.requests).toEqual(["live", "figures", "live"]);
    feed.stop();
  });

  it("are reloaded if the stream begins after a gap", async () => {
    const { service, feed } = await followedMinute();
    feed.stop();
    service.setFigures(figures(1300, START_MS + 95_000));
    await service.connect(feed);
    service.send(samples(START_MS + 80_000, 10));
    await until(feed, (_, metres) => metres === 1300);
    expect(service.requests).toEqual(["live", "live", "figures"]);
    service.send(samples(START_MS + 96_000, 2));
    await until(feed, sampleAt(START_MS + 97_900));
    expect(metresIn(feed)).toBeCloseTo(1300 + 3 * 1.9);
    feed.stop();
  });

  it("are not reloaded without a pause", async () => {
    const { service, feed } = await followedMinute();
    feed.stop();
    await service.connect(feed);
    service.send(samples(START_MS + 60_000, 10));
    await until(feed, sampleAt(START_MS + 69_900));
    expect(metresIn(feed)).toBeCloseTo(1000 + 3 * 69.9);
    expect(service.requests).toEqual(["live", "live"]);
    feed.stop();
  });

  it("do not decrease because of delayed figures", async () => {
    const { clock, service, feed } = await followedMinute();
    feed.stop();
    clock.mockReturnValue(START_MS + 100_000);
    service.setFigures(figures(1090, START_MS + 30_000));
    await service.connect(feed);
    service.send(samples(START_MS + 70_000, 30));
    await until(feed, sampleAt(START_MS + 99_900));
    expect(service.requests).toEqual(["live", "figures", "live"]);
    expect(metresIn(feed)).toBeCloseTo(1000 + 3 * (59.9 + 29.9));
    feed.stop();
  });
});
