import type { ComponentChildren } from "preact";

/** A list of names and values. */
export function Facts({
  of,
  class: className = "facts",
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
  class?: string;
}) {
  return (
    <dl class={className}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
