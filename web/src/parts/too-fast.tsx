import type { Metrics } from "asi-convert/metrics";
import { decimal, type SpeedUnit, speedFactor } from "../view/values.js";

/**
 * Returns the number and duration of the visible samples above the highest speed of the sport, which figures exclude. The text is empty if
 * there are none.
 */
export function tooFastText({ too_fast, definition }: Metrics, speedUnit: SpeedUnit): string {
  const { samples, duration } = too_fast;
  if (samples === 0) return "";
  const limit = `${decimal(definition.parameters.max_valid_speed * speedFactor(speedUnit), 1)} ${speedUnit}`;
  const rows = `${decimal(samples, 0)} ${samples === 1 ? "sample" : "samples"} (${decimal(duration, 1)} s)`;
  return `${rows} faster than ${limit} are not in the figures. Is the sport correct?`;
}

interface Props {
  metrics: Metrics | undefined;
  speedUnit: SpeedUnit;
  /** Whether the text is a note in a table. */
  isNote?: boolean;
}

/** This text as a paragraph. */
export function TooFast({ metrics, speedUnit, isNote = false }: Props) {
  const text = metrics === undefined ? "" : tooFastText(metrics, speedUnit);
  if (text === "") return null;
  if (!isNote) return <p class="problem">{text}</p>;
  return (
    <p class="note bad">
      <span aria-hidden="true">!</span> {text}
    </p>
  );
}
