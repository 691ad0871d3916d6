import type { PeakDemands, PeakWindow } from "asi-convert/metrics";
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
import { Fact } from "./recording-card.js";

export interface PeaksProps {
  recording: Recording;
  selection: Selection;
  settings: Settings;
  reader: RecordingService;
}

type CriticalSpeed = NonNullable<PeakDemands["critical_speed"]>;
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
  const { listed, curve, fits } = found.peaks;
  const known = curve.flatMap(knownPeak);
  if (known.length === 0) {
    return <p class="muted">There are none, because speeds cover less than 90 % of each second.</p>;
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
            <p class="note">– Speeds cover less than 90 % of every window of this length.</p>
          )}
        </div>
      </div>
      <Fits fits={fits} />
    </>
  );
}

/** The models of the distances. They need a window of 10 min. */
function Fits({ fits: { power_law, critical_speed, critical_speed_3 } }: Pick<PeakDistances, "fits">) {
  if (power_law === null && critical_speed === null && critical_speed_3 === null) return null;
  return (
    <>
      <dl class="facts">
        {power_law === null ? null : (
          <Fact
            name="Power law"
            value={`${decimal(power_law.rate_at_60_s, 1)} m/min in 1 min, exponent ${decimal(power_law.exponent, 3)}${r2Text(power_law)}`}
          />
        )}
        {critical_speed === null ? null : <Fact name="Critical speed" value={criticalText(critical_speed)} />}
        {critical_speed_3 === null ? null : (
          <Fact
            name="With 3 parameters"
            value={`${criticalText(critical_speed_3)}, maximum ${decimal(critical_speed_3.max_speed, 2)} m/s`}
          />
        )}
      </dl>
      <p class="note">These figures describe the recording, not the ability of the athlete.</p>
    </>
  );
}

const criticalText = (fit: CriticalSpeed): string =>
  `${decimal(fit.critical_speed, 2)} m/s, D′ ${decimal(fit.d_prime, 0)} m${r2Text(fit)}`;

const r2Text = ({ r2 }: { r2: number | null }): string => (r2 === null ? "" : `, R² ${decimal(r2, 3)}`);

/** Returns a peak in the units of the page, or no cells if there is none. */
function knownPeak({ window, value, start_time }: PeakWindow): Peak[] {
  if (value === null || start_time === null) return [];
  return [{ windowS: window, perMinute: (value / window) * 60, startMs: start_time }];
}
