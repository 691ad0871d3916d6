import type { ComponentChildren } from "preact";

/** A titled part of the page. */
export function Panel({
  title,
  note,
  class: className = "",
  children,
}: {
  title: string;
  note?: string;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <section class={`panel padded ${className}`}>
      <h2>{title}</h2>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

/** A table that scrolls independently of the page, with the pointer or the keyboard. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a tab stop the keyboard could not scroll
    <section class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
