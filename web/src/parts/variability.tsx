import { useSignal, useSignalEffect } from "@preact/signals";
import { type HeartRateVariability, LF_HF_CAUTION } from "asi-convert/metrics";
import { useMemo } from "preact/hooks";
import { ReadingError } from "../recording/calls.js";
import type { RecordingService } from "../recording/messages.js";
import { oneAtATime } from "../view/latest.js";
import type { Selection } from "../view/selection.js";
import { decimal, NO_VALUE } from "../view/values.js";
import { NoFigures } from "./no-figures.js";
import { Fact } from "./recording-card.js";

interface Props {
  id: number;
  selection: Selection;
  reader: RecordingService;
}

type Found = { figures: HeartRateVariability } | { problem: string };

/** Heart-rate variability of the visible part, with its artefacts. */
export function Variability({ id, selection, reader }: Props) {
  const found = useSignal<Found | null>(null);
  const atRest = useSignal(false);
  const compute = useMemo(
    () =>
      oneAtATime(async () => {
        const asked = { id, shown: selection.shown.peek(), atRest: atRest.peek() };
        found.value = await reader.ask("variability", asked).then(
          (figures) => ({ figures }),
          (error) => ({ problem: error instanceof ReadingError ? error.message : String(error) }),
        );
      }),
    [id, selection, reader, found, atRest],
  );
  useSignalEffect(() => {
    selection.shown.value;
    atRest.value;
    compute();
  });

  const { value } = found;
  if (value === null) return <p role="status">Computing heart-rate variability…</p>;
  if ("problem" in value) return <NoFigures problem={value.problem} />;
  const { figures } = value;
  return (
    <section aria-label="Heart-rate variability">
      <h3>Heart-rate variability in the shown time</h3>
      <dl class="facts">
        <Fact name="RR intervals" value={intervalsText(figures)} />
        <Fact name="Artefacts, corrected" value={artefactsText(figures)} />
        <Fact name="RMSSD" value={inUnit(figures.rmssd, 1, "ms")} />
        <Fact name="SDNN" value={inUnit(figures.sdnn, 1, "ms")} />
        <Fact name="pNN50" value={inUnit(figures.pnn50, 1, "%")} />
        <Fact name="DFA α1" value={alphaText(figures)} />
        {figures.lf_hf === undefined ? null : <Fact name="LF, HF, LF/HF" value={powerText(figures.lf_hf)} />}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={atRest.value}
          onChange={({ currentTarget }) => {
            atRest.value = currentTarget.checked;
          }}
        />
        The athlete was at rest: compute LF and HF
      </label>
      <p class="note">
        RMSSD, SDNN and pNN50 describe the heart at rest. Movement changes them. DFA α1 needs 2 min without a
        gap, LF and HF need 5 min. At most 5 % may be artefacts.
        {figures.lf_hf === undefined ? null : ` ${LF_HF_CAUTION}.`}
      </p>
    </section>
  );
}

const inUnit = (value: number | null, decimals: number, unit: string): string =>
  value === null ? NO_VALUE : `${decimal(value, decimals)} ${unit}`;

function intervalsText({ intervals, series }: HeartRateVariability): string {
  return series > 1 ? `${decimal(intervals, 0)} in ${decimal(series, 0)} series` : decimal(intervals, 0);
}

function artefactsText({ artefacts, artefacts_percent: share }: HeartRateVariability): string {
  const kinds = Object.entries(artefacts).filter(([, count]) => count > 0);
  const counts = kinds.map(([kind, count]) => `${decimal(count, 0)} ${kind}`).join(", ");
  return counts === "" ? inUnit(share, 1, "%") : `${inUnit(share, 1, "%")}: ${counts}`;
}

function alphaText({ dfa_alpha1: windows }: HeartRateVariability): string {
  // a call cannot have as many arguments as a week has beats
  const known = windows.flatMap(({ alpha1 }) => alpha1 ?? []).sort((a, b) => a - b);
  if (known.length === 0) return NO_VALUE;
  const [least, most] = [known[0], known.at(-1)].map((alpha = 0) => decimal(alpha, 2));
  return `${least} to ${most} in ${decimal(known.length, 0)} of ${decimal(windows.length, 0)} windows of 2 min`;
}

function powerText(power: NonNullable<HeartRateVariability["lf_hf"]> | null): string {
  if (power === null) return NO_VALUE;
  const { lf, hf, ratio } = power;
  return `${decimal(lf, 0)} ms², ${decimal(hf, 0)} ms², ${decimal(ratio, 2)}`;
}
