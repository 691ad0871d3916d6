import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** Delay after the last key, ms. It prevents a computation of figures for each key. */
const TYPING_MS = 500;

/** A field for a number within limits that affects figures. An empty field means null. */
export function NumberField({
  label,
  unit,
  least,
  most,
  value,
}: {
  label: string;
  unit: string;
  least: number;
  most: number;
  value: Signal<number | null>;
}) {
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // the value is null for an empty field, and undefined for an invalid or incomplete number
  const entered = (input: HTMLInputElement): number | null | undefined => {
    const number = input.valueAsNumber;
    if (number >= least && number <= most) return number;
    return input.value === "" && !input.validity.badInput ? null : undefined;
  };
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={least}
        max={most}
        step="any"
        placeholder={unit}
        value={value.value ?? ""}
        onInput={({ currentTarget }) => {
          clearTimeout(typing.current);
          const number = entered(currentTarget);
          if (number === undefined) return;
          typing.current = setTimeout(() => {
            value.value = number;
          }, TYPING_MS);
        }}
        // the value applies immediately after Enter, and when the field loses focus
        onChange={({ currentTarget }) => {
          clearTimeout(typing.current);
          value.value = entered(currentTarget) ?? null;
        }}
      />
    </label>
  );
}
