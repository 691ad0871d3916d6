import { useEffect, useState } from "preact/hooks";

/** A part of the page that is loaded when it is first needed; null until then. */
export function useLoaded<Part>(load: () => Promise<Part>): Part | null {
  const [loaded, setLoaded] = useState<{ part: Part } | null>(null);
  useEffect(() => {
    let isGone = false;
    load().then((part) => {
      if (!isGone) setLoaded({ part });
    });
    return () => {
      isGone = true;
    };
  }, [load]);
  return loaded?.part ?? null;
}
