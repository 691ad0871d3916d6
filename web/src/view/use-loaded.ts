import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** Whether a part of the page could not be loaded: after an upgrade, the service no longer has the parts of the previous page. */
export const isOutdated = signal(false);

/** A part of the page that is loaded on first use; null until then. */
export function useLoaded<Part>(load: () => Promise<Part>): Part | null {
  const [loaded, setLoaded] = useState<{ part: Part } | null>(null);
  useEffect(() => {
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
  }, [load]);
  return loaded?.part ?? null;
}
