import { effect, signal } from "@preact/signals";
import { route } from "../../view/route.js";

const SHOWN_MS = 8000;

interface Announcement {
  text: string;
  /** The address where the announcement is shown, or null while it is unknown. */
  home: string | null;
}

const announced = signal<Announcement | null>(null);

/** The name of a long action in progress, or empty. Screen readers do not read it from the button. */
export const underway = signal("");

/** Tells the user that an action is done. The page shows the text for a while, and screen readers read it. */
export function announce(text: string): void {
  const announcement: Announcement = { text, home: null };
  announced.value = announcement;
  // the page often navigates after an announcement
  setTimeout(() => {
    announcement.home = location.hash;
  });
  setTimeout(() => {
    if (announced.peek() === announcement) announced.value = null;
  }, SHOWN_MS);
}

const pathOf = (hash: string) => hash.replace(/\?.*/, "");

// the announcement is obsolete when the user opens a different page
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
