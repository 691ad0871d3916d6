import type { PlotRow } from "../plots/plot-panel.js";
import type { Pyramid } from "../plots/pyramid.js";
import { axisRange, type Readout } from "../recording/channels.js";
import type { RecordingService } from "../recording/messages.js";
import { ALPHA_FACTOR, type Heart, type Recording } from "../recording/recording.js";
import { indexAt, nearestIndex } from "../view/instants.js";
import type { Selection } from "../view/selection.js";
import type { Settings } from "../view/settings.js";
import { duration, timeOfDay } from "../view/times.js";
import { decimal, NO_VALUE, percent } from "../view/values.js";
import { within } from "../view/window.js";
import { Panel } from "./panel.js";
import { PlaceList } from "./place-list.js";
import { Fact } from "./recording-card.js";
import { Variability } from "./variability.js";

const RR_COLOUR = "var(--heart-rate)";
const ECG_COLOUR = "var(--ecg)";
const ALPHA_COLOUR = "var(--heart-rate)";
const LEAST_RR_SPAN_MS = 100;
const LEAST_ALPHA_SPAN = 1;
// If beats were closer, their marks would merge into a bar.
const PIXELS_PER_MARK = 7;

/** Returns the plots of the RR intervals, and of the waveform with its beats. */
export function heartRows(
  { id }: Recording,
  { rr, alpha1, beats, hasWaveform }: Heart,
  reader: RecordingService,
): PlotRow[] {
  const rows: PlotRow[] = [];
  if (hasWaveform) {
    rows.push({
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
    });
  }
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
  if (alpha1.series.values.length > 0) {
    rows.push({
      key: "alpha1",
      label: "DFA α1",
      unit: "of the last 2 min",
      line: ALPHA_COLOUR,
      band: "var(--heart-rate-band)",
      content: { pyramid: alpha1, offsetMs: 0 },
      factor: ALPHA_FACTOR,
      decimals: 2,
      range: axisRange([alpha1], { fromZero: true, leastSpan: LEAST_ALPHA_SPAN }, ALPHA_FACTOR),
      height: 90,
    });
  }
  return rows;
}

/** Returns the RR interval and alpha 1 at an instant. */
export function heartReadouts({ rr, alpha1 }: Heart, ms: number | null): Readout[] {
  const valueIn = ({ series }: Pyramid): number | null => {
    const at = ms === null ? null : nearestIndex(series, ms);
    return at === null ? null : (series.values[at] as number);
  };
  const interval = valueIn(rr);
  const alpha = valueIn(alpha1);
  return [
    {
      label: "RR interval",
      value: interval === null ? NO_VALUE : decimal(interval, 0),
      unit: interval === null ? "" : "ms",
      colour: RR_COLOUR,
    },
    ...(alpha1.series.values.length === 0
      ? []
      : [
          {
            label: "DFA α1",
            value: alpha === null ? NO_VALUE : decimal(alpha * ALPHA_FACTOR, 2),
            unit: "",
            colour: ALPHA_COLOUR,
          },
        ]),
  ];
}

const LONGEST_LIST = 100;
/** The page shows an explanation if fewer seconds than this share have a heart rate. */
const FEW_RATES = 0.5;
const AROUND_MS = 3000;

/** The quality of the waveform, and the beats of the shown part. */
export function HeartPanel({
  recording: { id },
  reader,
  heart: { figures, beats, hasWaveform },
  selection,
  settings,
}: {
  recording: Recording;
  reader: RecordingService;
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
    <Panel
      title={hasWaveform ? "ECG" : "RR intervals"}
      note={
        hasWaveform
          ? "Beats are detected in the waveform. Zoom in to see it."
          : "The file has no times for the intervals, so the page adds the intervals to the time of a record."
      }
    >
      {figures === null ? null : (
        <dl class="facts">
          <Fact
            name="Signal with a heart rate"
            value={`${percent(figures.usable)} of ${duration(figures.seconds * 1000)}`}
          />
          <Fact name="Mean heart rate" value={bpm(figures.meanBpm)} />
          <Fact name="Highest heart rate" value={bpm(figures.maxBpm)} />
        </dl>
      )}
      {figures !== null && figures.usable < FEW_RATES ? (
        <p class="note">
          The other seconds lack four beats in 8 s, even intervals between them, or a clear signal. The
          detected beats are listed below.
        </p>
      ) : null}
      <Variability id={id} selection={selection} reader={reader} />
      <h3>Beats in the shown time: {decimal(to - from, 0)}</h3>
      {listed.length === 0 ? (
        <p class="muted">No beat was detected here.</p>
      ) : (
        <PlaceList
          label="Beats"
          heads={["Time", "RR interval, ms", ...(beats.quality === null ? [] : ["Quality"])]}
          hasMore={to - from > LONGEST_LIST}
          places={listed.map((beat) => {
            const ms = beats.timestampMs[beat] as number;
            const rrMs = beats.rrMs[beat] as number;
            return {
              key: beat,
              head: timeOfDay(ms, zone, 1),
              cells: [
                rrMs === 0 ? NO_VALUE : decimal(rrMs, 0),
                ...(beats.quality === null ? [] : [`${beats.quality[beat]} %`]),
              ],
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
