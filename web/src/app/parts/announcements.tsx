import { effect, signal } from "@preact/signals";
import { route } from "../../view/route.js";

const SHOWN_MS = 8000;

interface Announcement {
  text: string;
  /** The address at which it is read; null until it is known. */
  home: string | null;
}

const announced = signal<Announcement | null>(null);

/** What takes longer than a moment, in words; empty for nothing. A button says it too, but not to screen readers. */
export const underway = signal("");

/** Tells the user that something is done: shown for a while on the page where it is read, and read out by screen readers. */
export function announce(text: string): void {
  const announcement: Announcement = { text, home: null };
  announced.value = announcement;
  // what is announced often goes to another page by itself
  setTimeout(() => {
    announcement.home = location.hash;
  });
  setTimeout(() => {
    if (announced.peek() === announcement) announced.value = null;
  }, SHOWN_MS);
}

const pathOf = (hash: string) => hash.replace(/\?.*/, "");

// a user who opens another page no longer needs it
effect(() => {
  const isViewer = route.value === null;
  const home = announced.peek()?.home;
  if (home == null || location.hash === home) return;
  if (isViewer || pathOf(location.hash) !== pathOf(home)) announced.value = null;
});

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
