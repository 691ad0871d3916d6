import "./checks.css";

interface ChecksProps<Name extends string> {
  /** Question above the boxes. */
  legend: string;
  /** Field name and text of each box. */
  of: readonly (readonly [name: Name, text: string])[];
  isChecked: (name: Name) => boolean;
}

/** A group of check boxes in a form. */
export const Checks = <Name extends string>({ legend, of, isChecked }: ChecksProps<Name>) => (
  <fieldset class="checks">
    <legend>{legend}</legend>
    {of.map(([name, text]) => (
      <label key={name} class="check">
        <input type="checkbox" name={name} defaultChecked={isChecked(name)} />
        {text}
      </label>
    ))}
  </fieldset>
);
