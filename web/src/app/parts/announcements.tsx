import { signal } from "@preact/signals";

const SHOWN_MS = 8000;

const announced = signal<{ text: string } | null>(null);

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
    <div class="announcements" role="status">
      {current === null ? null : <p>{current.text}</p>}
    </div>
  );
}
