import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

interface Feed {
  start(): Promise<void>;
  stop(): void;
}

/** Follows a feed while the page is visible, because a browser limits the number of connections for all its tabs. */
export function useFollowing(feed: Feed): void {
  useEffect(() => {
    const follow = () => (document.visibilityState === "visible" ? feed.start() : feed.stop());
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      feed.stop();
    };
  }, [feed]);
}

/** Returns the time of a clock, ms. The clock is read every second. */
export function useEverySecond(clock: { now(): number }): ReadonlySignal<number> {
  const nowMs = useSignal(clock.now());
  useEffect(() => {
    const timer = setInterval(() => {
      nowMs.value = clock.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [clock, nowMs]);
  return nowMs;
}
