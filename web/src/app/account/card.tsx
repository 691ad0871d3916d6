import type { ComponentChildren } from "preact";

/** What stands alone in the page, before somebody is signed in. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel welcome">
      <h1>{title}</h1>
      {children}
    </section>
  );
}
