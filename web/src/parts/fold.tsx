import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** A collapsible part of the page. It is initially closed, and its content is rendered only while it is open. */
export function Fold({ title, children }: { title: string; children: () => ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="panel padded"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{title}</summary>
      {isOpen.value ? children() : null}
    </details>
  );
}
