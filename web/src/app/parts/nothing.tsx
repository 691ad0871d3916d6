import type { ComponentChildren } from "preact";

/** Stands where a list is empty: says what belongs there and what to do. */
export function Nothing({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="nothing">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  );
}
