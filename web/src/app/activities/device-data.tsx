import type { Signal } from "@preact/signals";
import type { Client, Resource } from "asi-client";
import { useState } from "preact/hooks";
import type { DeviceRange } from "../../recording/device-range.js";
import type { RecordingService } from "../../recording/messages.js";
import type { Selection } from "../../view/selection.js";
import type { Settings } from "../../view/settings.js";
import { day, duration, timeOfDay } from "../../view/times.js";
import type { TimeWindow } from "../../view/window.js";
import { latestData } from "../devices/latest.js";
import { dateText } from "../parts/days.js";
import { Nothing } from "../parts/nothing.js";
import { Requested, useRequest } from "../parts/request.js";
import { instantOf } from "../parts/when.js";
import { loadRanges, type RangesAround } from "./device-ranges.js";
import { FramePlots } from "./frame-plots.js";

interface Props {
  client: Client;
  device: Resource["Device"];
  settings: Settings;
  reader: RecordingService;
  part: Signal<TimeWindow | null>;
  /** The time frame itself, or another time frame of the same activity, or null if there is none. */
  likely: TimeWindow | null;
  isNew: boolean;
  selection: Signal<Selection | null>;
}

/** The data of a device on a day, as plots that mark the time frame. */
export function DeviceData(props: Props) {
  const { client, device, settings, likely } = props;
  const zone = settings.zone.value;
  const [chosenDay, setChosenDay] = useState<string | null>(null);
  const latest = useRequest(`latest ${device.id}`, async (signal) => ({
    ms: likely === null ? ((await latestData(client, device.id, true, signal))?.ms ?? null) : likely.startMs,
  }));
  const text = chosenDay ?? (latest.data === undefined ? "" : dateText(latest.data.ms ?? Date.now(), zone));
  const dayMs = text === "" ? null : instantOf(text, zone);
  return (
    <div class="device-data">
      <Requested request={latest} what="the latest data of the device">
        {() => null}
      </Requested>
      <label class="field">
        Day
        <input
          type="date"
          value={text}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "") setChosenDay(currentTarget.value);
          }}
        />
      </label>
      {dayMs === null ? null : (
        <Day
          {...props}
          key={`${dayMs} ${zone}`}
          dayMs={dayMs}
          onDay={(ms) => setChosenDay(dateText(ms, zone))}
        />
      )}
    </div>
  );
}

function Day(props: Props & { dayMs: number; onDay: (ms: number) => void }) {
  const { client, device, settings, dayMs } = props;
  const zone = settings.zone.value;
  const request = useRequest(`ranges ${device.id} ${dayMs} ${zone}`, (signal) =>
    loadRanges(client, device, dayMs, zone, signal),
  );
  return (
    <Requested request={request} what="the data of the day">
      {(found) =>
        found.ofDay.length === 0 ? <EmptyDay {...props} {...found} /> : <Ranges {...props} {...found} />
      }
    </Requested>
  );
}

function EmptyDay({ dayMs, otherDays, onDay, settings }: RangesAround & Parameters<typeof Day>[0]) {
  const zone = settings.zone.value;
  return (
    <Nothing title={`This device has no data on ${day(dayMs, zone)}`}>
      {otherDays.length === 0 ? (
        <p>
          The weeks before and after have no data either. Choose another day or device, or{" "}
          <a href="#/recordings">upload a recording</a>.
        </p>
      ) : (
        <>
          <p>It has data on these days:</p>
          <div class="buttons">
            {otherDays.map((ms) => (
              <button key={ms} type="button" onClick={() => onDay(ms)}>
                {day(ms, zone)}
              </button>
            ))}
          </div>
        </>
      )}
      <p>You can also enter a time frame below, for data that will arrive later.</p>
    </Nothing>
  );
}

/** The limit for fast display. If a day has more samples, the page shows only the longest range. */
const QUICK_SAMPLES = 500_000;

function Ranges({ ofDay, ...props }: RangesAround & Props) {
  const { settings, part } = props;
  const zone = settings.zone.value;
  const [chosen, setChosen] = useState(() => firstChoice(ofDay, part.peek()));
  const [first] = ofDay;
  if (first === undefined) return null;
  const all: DeviceRange = {
    ...first,
    stopMs: Math.max(...ofDay.map(({ stopMs }) => stopMs)),
    size: sizeOf(ofDay),
  };
  const shown = ofDay[chosen] ?? all;
  return (
    <>
      {ofDay.length === 1 ? null : (
        <label class="field">
          Data
          <select
            value={String(chosen)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            <option value="-1">The whole day</option>
            {ofDay.map(({ startMs, stopMs }, i) => (
              <option key={startMs} value={String(i)}>
                {timeOfDay(startMs, zone)} – {timeOfDay(stopMs, zone)}, {duration(stopMs - startMs)}
              </option>
            ))}
          </select>
        </label>
      )}
      <FramePlots key={`${shown.startMs} ${shown.stopMs}`} {...props} data={shown} />
    </>
  );
}

const sizeOf = (ranges: readonly DeviceRange[]) => ranges.reduce((sum, { size }) => sum + size, 0);

/** Returns the number of the range that is shown first, or -1 for all ranges. */
function firstChoice(ranges: readonly DeviceRange[], part: TimeWindow | null): number {
  if (ranges.length === 1) return 0;
  if (sizeOf(ranges) <= QUICK_SAMPLES) return -1;
  const marked = ranges.findIndex(
    ({ startMs, stopMs }) => part !== null && part.startMs <= stopMs && part.stopMs >= startMs,
  );
  if (marked >= 0) return marked;
  const longest = Math.max(...ranges.map(({ size }) => size));
  return ranges.findIndex(({ size }) => size === longest);
}
