import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** Whether a part of the page failed to load. After an upgrade, the service lacks the parts of the previous page. */
export const isOutdated = signal(false);

/**
 * Loads a part of the page on first use. Returns null until then.
 *
 * @param isWanted whether it may be loaded at present
 */
export function useLoaded<Part>(load: () => Promise<Part>, isWanted = true): Part | null {
  const [loaded, setLoaded] = useState<{ part: Part } | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    load().then(
      (part) => {
        if (!isGone) setLoaded({ part });
      },
      () => {
        isOutdated.value = true;
      },
    );
    return () => {
      isGone = true;
    };
  }, [load, isWanted]);
  return loaded?.part ?? null;
}
