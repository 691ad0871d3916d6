import type { PeakWindow } from "asi-convert/metrics";
import { useEffect, useState } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import type { PeakDistances, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import { figureSettings, type Settings } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withUnit } from "../view/values.js";
import { within } from "../view/window.js";
import { NoFigures } from "./no-figures.js";
import { type Peak, PeakCurve } from "./peak-curve.js";
import { PlaceList } from "./place-list.js";

export interface PeaksProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

type Found = { peaks: PeakDistances } | { problem: string };

/** The most demanding 1 s to 10 min of a recording, as a curve and as a table of the same values. Each entry can show its passage. */
export function Peaks({ recording: { id }, selection, settings, reader }: PeaksProps) {
  const [found, setFound] = useState<Found | null>(null);
  const preset = settings.preset.value;
  useEffect(() => {
    let isGone = false;
    const answer = (now: Found) => {
      if (!isGone) setFound(now);
    };
    reader.ask("peaks", { id, settings: figureSettings(settings) }).then(
      (peaks) => answer({ peaks }),
      (error) => answer({ problem: error instanceof ReadingError ? error.message : String(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [id, preset, settings, reader]);

  if (found === null) return <p role="status">Computing peak demands…</p>;
  if ("problem" in found) return <NoFigures problem={found.problem} />;
  const { listed, curve } = found.peaks;
  const known = curve.flatMap(knownPeak);
  if (known.length === 0) {
    return (
      <p class="muted">
        There are none, because no second of the recording has speeds in at least 90 % of it.
      </p>
    );
  }
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  const show = ({ startMs, windowS }: Peak) => {
    const passage = { startMs, stopMs: startMs + windowS * 1000 };
    selection.shown.value = within(passage, selection.whole.peek());
  };
  return (
    <>
      <p class="note">
        The longest distance in any window of a given length, in the whole recording. Choose one to see its
        passage in map, plots and figures.
      </p>
      <div class="beside">
        <PeakCurve
          peaks={known}
          marked={listed.flatMap(knownPeak)}
          shown={selection.shown}
          zone={zone}
          onChoose={show}
        />
        <div>
          <PlaceList
            label="Peak demands"
            heads={["Window", "Distance, m/min", withUnit("Mean speed", unit), "Start"]}
            hasMore={false}
            places={listed.map((one) => {
              const [peak] = knownPeak(one);
              const head = duration(one.window * 1000);
              const start = peak === undefined ? NO_VALUE : timeOfDay(peak.startMs, zone);
              return {
                key: one.window,
                head,
                cells: [
                  peak === undefined ? NO_VALUE : decimal(peak.perMinute, 1),
                  peak === undefined ? NO_VALUE : decimal((peak.perMinute / 60) * speedFactor(unit), 1),
                  start,
                ],
                show:
                  peak === undefined
                    ? null
                    : { label: `Show the ${head} from ${start}`, onShow: () => show(peak) },
              };
            })}
          />
          {listed.every(({ value }) => value !== null) ? null : (
            <p class="note">– No such window has speeds in at least 90 % of it.</p>
          )}
        </div>
      </div>
    </>
  );
}

/** A peak in the units of the page. Empty if there is none. */
function knownPeak({ window, value, start_time }: PeakWindow): Peak[] {
  if (value === null || start_time === null) return [];
  return [{ windowS: window, perMinute: (value / window) * 60, startMs: start_time }];
}
