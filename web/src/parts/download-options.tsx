import { type Signal, signal } from "@preact/signals";
import type { SaveOptions } from "../recording/save.js";
import type { Zone } from "../view/settings.js";
import { zoneName } from "../view/times.js";

const EVERY = [
  ["", "All"],
  ["1000", "One a second"],
  ["5000", "One in 5 seconds"],
  ["60000", "One a minute"],
] as const;
const TIMES = [
  ["", "As usual for the format"],
  ["iso", "ISO 8601, UTC"],
  ["local", "ISO 8601, local"],
  ["excel", "For spreadsheets"],
] as const;
const NUMBERS = [
  [".", "1.5, fields separated by commas"],
  [",", "1,5, fields separated by semicolons"],
] as const;
const PARQUET = [
  ["double", "Floating point"],
  ["decimal", "Decimal, smaller files"],
] as const;

type Value<Choices extends readonly (readonly [string, string])[]> = Choices[number][0];

export interface DownloadChoices {
  every: Signal<Value<typeof EVERY>>;
  time: Signal<Value<typeof TIMES>>;
  decimalMark: Signal<Value<typeof NUMBERS>>;
  numbers: Signal<Value<typeof PARQUET>>;
}

export function newDownloadChoices(): DownloadChoices {
  return { every: signal(""), time: signal(""), decimalMark: signal("."), numbers: signal("double") };
}

export function saveOptions(choices: DownloadChoices, zone: Zone): SaveOptions {
  const { every, time, decimalMark, numbers } = choices;
  return {
    everyMs: every.value === "" ? null : Number(every.value),
    time: time.value === "" ? null : time.value,
    timeZone: zoneName(zone),
    decimalMark: decimalMark.value,
    numbers: numbers.value,
  };
}

/** Options for downloads. */
export function DownloadOptions({ choices }: { choices: DownloadChoices }) {
  return (
    <details class="options">
      <summary>Options</summary>
      <Choice name="Samples" hint="all formats but .asi" choice={choices.every} choices={EVERY} />
      <Choice name="Times" hint="CSV, JSON lines" choice={choices.time} choices={TIMES} />
      <Choice name="Numbers" hint="CSV" choice={choices.decimalMark} choices={NUMBERS} />
      <Choice name="Numbers" hint="Parquet" choice={choices.numbers} choices={PARQUET} />
    </details>
  );
}

function Choice<T extends string>({
  name,
  hint,
  choice,
  choices,
}: {
  name: string;
  hint: string;
  choice: Signal<T>;
  choices: readonly (readonly [T, string])[];
}) {
  return (
    <label class="field option">
      <span>
        {name} <span class="unit">{hint}</span>
      </span>
      <select
        value={choice.value}
        onChange={({ currentTarget }) => {
          choice.value = currentTarget.value as T;
        }}
      >
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
