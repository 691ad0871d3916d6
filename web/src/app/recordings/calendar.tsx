import type { Resource } from "asi-client";
import type { DeviceRange } from "../../recording/device-range.js";
import type { Workspace } from "../../recording/workspace.js";
import type { Settings, Zone } from "../../view/settings.js";
import { day, duration, timeOfDay, zoneName } from "../../view/times.js";
import { decimal } from "../../view/values.js";
import type { LatestData } from "../devices/latest.js";
import { dateText, dayAfter, SHOWN_DAYS, weeksUpTo } from "../parts/days.js";
import { type Loaded, Requested } from "../parts/request.js";
import { isSameRange } from "./ranges.js";

interface Props {
  device: Resource["Device"];
  /** The first shown day, a Monday. */
  fromMs: number;
  latest: LatestData | null | undefined;
  request: Loaded<DeviceRange[]>;
  settings: Settings;
  chosen: { value: readonly DeviceRange[] };
  workspace: Workspace;
  onOpen: (range: DeviceRange) => void;
}

/** Two weeks of a device, with the ranges of each day. */
export function Calendar(props: Props) {
  const { device, fromMs, latest, request, settings } = props;
  const zone = settings.zone.value;
  const days = Array.from({ length: SHOWN_DAYS }, (_, i) => dayAfter(fromMs, i, zone));
  const title = `${shortDay(fromMs, zone)} to ${day(days.at(-1) ?? fromMs, zone).replace(/^\w+, /, "")}`;
  const link = (ms: number) => `#/recordings/${device.id}?from=${dateText(ms, zone)}`;
  return (
    <section class="panel padded" aria-label="Calendar">
      <div class="calendar-head">
        <h2 aria-live="polite">{title}</h2>
        <nav class="weeks" aria-label="Weeks">
          <a class="button" href={link(dayAfter(fromMs, -SHOWN_DAYS, zone))}>
            <span aria-hidden="true">{"‹\u00a0"}</span>Earlier
          </a>
          <a class="button" href={link(dayAfter(fromMs, SHOWN_DAYS, zone))}>
            Later<span aria-hidden="true">{"\u00a0›"}</span>
          </a>
          <a class="button" href={link(weeksUpTo(Date.now(), zone))}>
            Today
          </a>
          {latest == null ? null : (
            <a class="button" href={link(weeksUpTo(latest.ms, zone))}>
              Latest
            </a>
          )}
        </nav>
        <span class="muted">Times in {zoneName(zone)}. Tick ranges to compare them.</span>
      </div>
      <Requested request={request} what="the calendar">
        {(ranges) => <Days {...props} days={days} ranges={ranges} />}
      </Requested>
    </section>
  );
}

const shortDay = (ms: number, zone: Zone) => day(ms, zone).replace(/^\w+, | \d+$/g, "");

function Days({
  days,
  ranges,
  ...props
}: Props & { days: readonly number[]; ranges: readonly DeviceRange[] }) {
  const { latest, settings } = props;
  const zone = settings.zone.value;
  const today = dateText(Date.now(), zone);
  if (ranges.length === 0) {
    return (
      <p class="nothing-here">
        {latest === null
          ? "You have no recordings of this device yet."
          : `Nothing was recorded in these two weeks.${latest?.isSample ? ` The latest sample is from ${day(latest.ms, zone)}.` : ""}`}
      </p>
    );
  }
  return (
    <ol class="calendar" aria-label="Days">
      {days.map((startMs) => {
        const endMs = dayAfter(startMs, 1, zone);
        const own = ranges.filter((range) => range.startMs >= startMs && range.startMs < endMs);
        const isCovered = ranges.some((range) => range.startMs < startMs && range.stopMs >= startMs);
        const isToday = dateText(startMs, zone) === today;
        return (
          <li
            key={startMs}
            class={own.length === 0 ? "day is-empty" : "day"}
            aria-current={isToday ? "date" : undefined}
          >
            <h3>
              {shortWeekday(startMs, zone)}
              {isToday ? <span class="muted"> today</span> : null}
            </h3>
            {own.length === 0 ? (
              <p class={isCovered ? "note" : "unseen"}>
                {isCovered ? "The recording of the day before continues" : "No recording"}
              </p>
            ) : (
              <ul>
                {own.map((range) => (
                  <RangeItem key={range.startMs} {...props} range={range} endOfDayMs={endMs} />
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
}

const shortWeekday = (ms: number, zone: Zone) => day(ms, zone).replace(/,| \d+$/g, "");

type RangeProps = Props & { range: DeviceRange; endOfDayMs: number };

function RangeItem({ range, endOfDayMs, settings, chosen, workspace, onOpen }: RangeProps) {
  const zone = settings.zone.value;
  const { startMs, stopMs, size } = range;
  const start = timeOfDay(startMs, zone).slice(0, 5);
  const stop = timeOfDay(stopMs, zone).slice(0, 5);
  const length = duration(stopMs - startMs);
  const isChosen = chosen.value.some((one) => isSameRange(one, range));
  const name = `${day(startMs, zone)}, ${start} to ${stop}`;
  return (
    <li class="range-item">
      <button
        type="button"
        class="range-button"
        disabled={workspace.reading.value !== null}
        onClick={() => onOpen(range)}
      >
        <span class="unseen">Open {day(startMs, zone)}, </span>
        <strong>
          {start}–{stop}
          {stopMs >= endOfDayMs ? (
            <sup title="on a later day">+{daysBetween(endOfDayMs, stopMs, zone)}</sup>
          ) : null}
        </strong>{" "}
        <span class="muted">
          {length}
          <span class="unseen"> long, {decimal(size, 0)} samples</span>
        </span>
      </button>
      <label class="compare" title="Choose for comparison">
        <input
          type="checkbox"
          checked={isChosen}
          aria-label={`Choose ${name} for comparison`}
          onChange={() => {
            chosen.value = isChosen
              ? chosen.value.filter((one) => !isSameRange(one, range))
              : [...chosen.value, range];
          }}
        />
      </label>
    </li>
  );
}

/** Returns the number of days from the first day to the end of a range. */
function daysBetween(endOfDayMs: number, stopMs: number, zone: Zone): number {
  let days = 0;
  for (let ms = endOfDayMs; ms <= stopMs; ms = dayAfter(ms, 1, zone)) days += 1;
  return days;
}
