import type { ComponentChildren } from "preact";

/** A card that fills the page before a user signs in. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel welcome">
      <h1>{title}</h1>
      {children}
    </section>
  );
}
