import type { PlotRow } from "../plots/plot-panel.js";
import { axisRange, type Readout } from "../recording/channels.js";
import type { RecordingService } from "../recording/messages.js";
import type { Heart, Recording } from "../recording/recording.js";
import { indexAt, nearestIndex } from "../view/instants.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, percent } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel } from "./panel.js";
import { PlaceList } from "./place-list.js";
import { Fact } from "./recording-card.js";

const RR_COLOUR = "var(--heart-rate)";
const ECG_COLOUR = "var(--ecg)";
const LEAST_RR_SPAN_MS = 100;
// Marks of beats that are closer together would overlap.
const PIXELS_PER_MARK = 7;

/** The plots of the heart: RR intervals, and the waveform with its beats. */
export function heartRows({ id }: Recording, { rr, beats }: Heart, reader: RecordingService): PlotRow[] {
  const rows: PlotRow[] = [
    {
      key: "ecg",
      label: "ECG",
      unit: "beats are marked above it",
      line: ECG_COLOUR,
      band: "var(--ecg-band)",
      content: {
        async columnsOf(shown, pixels) {
          const answered = await reader.ask("waveform", { id, shown, pixels });
          const from = indexAt(beats.timestampMs, shown.startMs);
          const to = indexAt(beats.timestampMs, shown.stopMs);
          const marks = (to - from) * PIXELS_PER_MARK > pixels ? [] : beats.timestampMs.slice(from, to);
          return { ...answered, marks: [...marks] };
        },
      },
      factor: 1,
      decimals: 0,
      range: [0, 1],
      height: 130,
    },
  ];
  if (rr.series.values.length > 0) {
    rows.unshift({
      key: "rr",
      label: "RR interval",
      unit: "ms",
      line: RR_COLOUR,
      band: "var(--heart-rate-band)",
      content: { pyramid: rr, offsetMs: 0 },
      factor: 1,
      decimals: 0,
      range: axisRange([rr], { fromZero: false, leastSpan: LEAST_RR_SPAN_MS }, 1),
      height: 110,
    });
  }
  return rows;
}

/** The RR interval at an instant, as text. */
export function rrReadout({ rr: { series } }: Heart, ms: number | null): Readout {
  const at = ms === null ? null : nearestIndex(series.timesMs, series.gapMs, ms);
  const value = at === null ? NO_VALUE : decimal(series.values[at] as number, 0);
  return { label: "RR interval", value, unit: at === null ? "" : "ms", colour: RR_COLOUR };
}

const LONGEST_LIST = 100;
/** Below this share of seconds with a heart rate, an explanation is shown. */
const FEW_RATES = 0.5;
const AROUND_MS = 3000;

/** The quality of the waveform, and the beats of the shown part. */
export function HeartPanel({
  heart: { figures, beats },
  selection,
  settings,
}: {
  heart: Heart;
  selection: Selection;
  settings: Settings;
}) {
  const zone = settings.zone.value;
  const { startMs, stopMs } = selection.shown.value;
  const from = indexAt(beats.timestampMs, startMs);
  const to = indexAt(beats.timestampMs, Math.floor(stopMs) + 1);
  const listed = Array.from({ length: Math.min(to - from, LONGEST_LIST) }, (_, i) => from + i);
  const bpm = (value: number | null) => (value === null ? NO_VALUE : `${decimal(value, 0)} bpm`);
  return (
    <Panel title="ECG" note="Beats are found from the waveform. Zoom in to see it.">
      {figures === null ? null : (
        <dl class="facts">
          <Fact
            name="Signal with a heart rate"
            value={`${percent(figures.usable)} of ${duration(figures.seconds * 1000)}`}
          />
          <Fact name="Mean heart rate" value={bpm(figures.meanBpm)} />
          <Fact name="Highest heart rate" value={bpm(figures.maxBpm)} />
          <Fact
            name="RMSSD (meaningful only at rest)"
            value={figures.rmssdMs === null ? NO_VALUE : `${decimal(figures.rmssdMs, 0)} ms`}
          />
        </dl>
      )}
      {figures !== null && figures.usable < FEW_RATES ? (
        <p class="note">
          The other seconds lack four beats in 8 s, even intervals between them, or a clear signal. Each beat
          that was found is below.
        </p>
      ) : null}
      <h3>Beats in the shown time: {decimal(to - from, 0)}</h3>
      {listed.length === 0 ? (
        <p class="muted">No beat was found here.</p>
      ) : (
        <PlaceList
          label="Beats"
          heads={["Time", "RR interval, ms", "Quality"]}
          hasMore={to - from > LONGEST_LIST}
          places={listed.map((beat) => {
            const ms = beats.timestampMs[beat] as number;
            const rrMs = beats.rrMs[beat] as number;
            return {
              key: beat,
              head: timeOfDay(ms, zone, 1),
              cells: [rrMs === 0 ? NO_VALUE : decimal(rrMs, 0), `${beats.quality[beat]} %`],
              show: {
                label: `Show the beat at ${timeOfDay(ms, zone, 1)}`,
                onShow: () => {
                  const part = { startMs: ms - AROUND_MS, stopMs: ms + AROUND_MS };
                  selection.shown.value = within(part, selection.whole.peek());
                  selection.cursorMs.value = ms;
                },
              },
            };
          })}
        />
      )}
    </Panel>
  );
}
