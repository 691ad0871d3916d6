import type { Client, Resource } from "asi-client";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings } from "../../view/settings.js";
import { duration } from "../../view/times.js";
import { decimal, NO_VALUE, speedFactor } from "../../view/values.js";
import { useEverySecond, useFollowing } from "../live-events/following.js";
import { Facts } from "../parts/facts.js";
import { dayAndSecond } from "../parts/when.js";
import { type FeedState, LiveFeed, type Sample } from "./live-feed.js";
import { storedUploads } from "./upload-queue.js";

interface Props {
  client: Client;
  device: Resource["Device"];
  settings: Settings;
}

/** A newer sample shows that the device is on. */
const FRESH_MS = 60_000;

const STATES: Readonly<Record<FeedState, string>> = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Polls every 5 seconds",
  elsewhere: "Followed in another window",
  lost: "You no longer own this device",
};

/** The newest sample of a device, updated as samples arrive. */
export function Live({ client, device, settings }: Props) {
  const [feed] = useState(() => new LiveFeed(client, device.id));
  useFollowing(feed);
  const nowMs = useEverySecond(Date);
  const stored = storedUploads.value;
  const known = useRef(stored);
  useEffect(() => {
    if (known.current === stored) return;
    known.current = stored;
    feed.refresh();
  }, [feed, stored]);
  const sample = feed.latest.value;
  const state = feed.state.value;
  const ageMs = sample == null ? null : Math.max(0, nowMs.value - sample["gnss.timestamp"]);
  const isFresh = ageMs !== null && ageMs < FRESH_MS;
  return (
    <section class="panel padded live" aria-label="Latest sample">
      <h2>Latest sample</h2>
      <span class={isFresh && state === "live" ? "live-state is-on" : "live-state"}>
        {state === "live" && !isFresh ? "Waiting for new samples" : STATES[state]}
      </span>
      {state === "elsewhere" ? (
        <button type="button" onClick={() => feed.start()}>
          Follow here
        </button>
      ) : null}
      {sample === undefined ? null : sample === null ? (
        <p class="muted">There are no samples since you claimed the device.</p>
      ) : (
        <Values sample={sample} heartRate={feed.heartRate.value} ageMs={ageMs ?? 0} settings={settings} />
      )}
    </section>
  );
}

interface ValuesProps {
  sample: Sample;
  /** The newest sample with a heart rate. */
  heartRate: Sample | null;
  ageMs: number;
  settings: Settings;
}

function Values({ sample, heartRate, ageMs, settings }: ValuesProps) {
  const zone = settings.zone.value;
  const unit = settings.speedUnit.value;
  const ms = sample["gnss.timestamp"];
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["Age", ageText(ageMs)],
    ["Time", dayAndSecond(ms, zone)],
    ["Position", positionText(sample["gnss.latitude"], sample["gnss.longitude"])],
    ["Speed", `${decimal(sample["gnss.speed"] * speedFactor(unit), 1)} ${unit}`],
    ["Heart rate", heartRateText(heartRate, ms)],
  ];
  return <Facts of={facts} class="live-values" />;
}

/** Heart rates that are older than the newest sample by more than this are ignored. */
const HEART_RATE_MS = 10_000;

/** @param latestMs time of the newest sample */
export function heartRateText(sample: Sample | null, latestMs: number): string {
  if (sample === null || latestMs - sample["gnss.timestamp"] > HEART_RATE_MS) return NO_VALUE;
  const seconds = Math.floor((latestMs - sample["gnss.timestamp"]) / 1000);
  return `${sample["ecg.hr"]} bpm${seconds < 1 ? "" : `, ${seconds} s earlier`}`;
}

const DAY_MS = 86_400_000;

/** Returns the time since an instant as text. Longer times have less precision. */
export function ageText(ms: number): string {
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s`;
  if (ms < DAY_MS) return duration(ms);
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? "1 day" : `${decimal(days, 0)} days`;
}

const positionText = (latitude: number, longitude: number) =>
  `${decimal(Math.abs(latitude), 5)}° ${latitude < 0 ? "S" : "N"}, ${decimal(Math.abs(longitude), 5)}° ${longitude < 0 ? "W" : "E"}`;
