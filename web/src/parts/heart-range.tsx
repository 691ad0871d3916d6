import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import type { HeartRangeFigures, RangeTotals, Recording } from "../recording/recording.js";
import type { Selection } from "../view/selection.js";
import { figureSettings, type Settings } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, speedFactor, withUnit } from "../view/values.js";
import { within } from "../view/window.js";
import { NoFigures } from "./no-figures.js";
import { NumberField } from "./number-field.js";
import { PlaceList } from "./place-list.js";
import { Fact } from "./recording-card.js";

export interface HeartRangeProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

type Found = { figures: HeartRangeFigures } | { problem: string };

/** The limits that the library accepts. */
const LOWEST_BPM = 30;
const HIGHEST_BPM = 240;

/** Distance and speed while the heart rate is in a range. Each period can be shown in plots, map and figures. */
export function HeartRangeFields({ recording: { id }, selection, settings, reader }: HeartRangeProps) {
  const low = useSignal<number | null>(150);
  const high = useSignal<number | null>(180);
  const [found, setFound] = useState<Found | null>(null);
  const preset = settings.preset.value;
  const from = low.value;
  const to = high.value;
  useEffect(() => {
    if (from === null || to === null) return;
    let isGone = false;
    const answer = (now: Found) => {
      if (!isGone) setFound(now);
    };
    reader.ask("heartRange", { id, range: [from, to], settings: figureSettings(settings) }).then(
      (figures) => answer({ figures }),
      (error) => answer({ problem: error instanceof ReadingError ? error.message : String(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [id, preset, from, to, settings, reader]);

  const bounds = { unit: "bpm", least: LOWEST_BPM, most: HIGHEST_BPM };
  return (
    <>
      <p class="note">
        The whole recording while the heart rate is in this range; both limits are included. A heart rate is
        valid until the next one, for at most 5 s.
      </p>
      <NumberField label="Lowest heart rate, bpm" {...bounds} value={low} />
      <NumberField label="Highest heart rate, bpm" {...bounds} value={high} />
      {from === null || to === null ? (
        <p role="status">Enter both limits, from 30 to 240 bpm.</p>
      ) : found === null ? (
        <p role="status">Computing…</p>
      ) : (
        <Answer found={found} selection={selection} settings={settings} />
      )}
    </>
  );
}

function Answer({
  found,
  selection,
  settings,
}: { found: Found } & Pick<HeartRangeProps, "selection" | "settings">) {
  if ("problem" in found) return <NoFigures problem={found.problem} />;
  const { count, total, listed } = found.figures;
  const unit = settings.speedUnit.value;
  const zone = settings.zone.value;
  const metres = ({ distanceM }: RangeTotals) => (distanceM === null ? NO_VALUE : decimal(distanceM, 0));
  const speed = ({ mPerS }: RangeTotals) =>
    mPerS === null ? NO_VALUE : decimal(mPerS * speedFactor(unit), 1);
  if (count === 0) return <p role="status">The heart rate was never in this range.</p>;
  return (
    <div class="beside">
      <div role="status">
        <dl class="facts">
          <Fact name="Periods" value={decimal(count, 0)} />
          <Fact name="Time" value={duration(total.durationMs)} />
          <Fact name="Distance" value={`${metres(total)} m`} />
          <Fact name="Mean speed" value={`${speed(total)} ${unit}`} />
        </dl>
      </div>
      <div>
        <PlaceList
          label="Periods in the heart-rate range"
          heads={["Start", "Time", "Distance, m", withUnit("Mean speed", unit)]}
          hasMore={count > listed.length}
          places={listed.map((period) => {
            const { startMs, endMs } = period;
            const start = timeOfDay(startMs, zone);
            const length = duration(endMs - startMs);
            return {
              key: startMs,
              head: start,
              cells: [length, metres(period), speed(period)],
              show: {
                label: `Show the ${length} from ${start}`,
                onShow: () => {
                  selection.shown.value = within({ startMs, stopMs: endMs }, selection.whole.peek());
                  selection.cursorMs.value = startMs;
                },
              },
            };
          })}
        />
      </div>
    </div>
  );
}
