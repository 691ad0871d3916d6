import { signal } from "@preact/signals";

const SHOWN_MS = 8000;

const announced = signal<{ text: string } | null>(null);

/** What takes longer than a moment, in words; empty for nothing. A button says it too, but not to screen readers. */
export const underway = signal("");

/** Tells the user that something is done: shown for a while, and read out by screen readers. */
export function announce(text: string): void {
  const announcement = { text };
  announced.value = announcement;
  setTimeout(() => {
    if (announced.peek() === announcement) announced.value = null;
  }, SHOWN_MS);
}

export function Announcements() {
  const current = announced.value;
  return (
    <>
      <p class="unseen" role="status">
        {underway.value}
      </p>
      <div class="announcements" role="status">
        {current === null ? null : <p>{current.text}</p>}
      </div>
    </>
  );
}
