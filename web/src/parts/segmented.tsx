import type { Signal } from "@preact/signals";

interface Props<T extends string> {
  label: string;
  choice: Signal<T>;
  choices: readonly (readonly [value: T, text: string])[];
}

/** A selection from a few visible options. */
export function Segmented<T extends string>({ label, choice, choices }: Props<T>) {
  return (
    <fieldset class="segmented" aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          type="button"
          key={value}
          aria-pressed={choice.value === value}
          onClick={() => {
            choice.value = value;
          }}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
