import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** State of a history entry. It is restored when the user returns to the entry, but not when the user opens the address again. */
type Kept = Readonly<Record<string, unknown>>;

const keptNow = (): Kept => (history.state as Kept | null) ?? {};

function keep(name: string, value: unknown): void {
  history.replaceState({ ...keptNow(), [name]: value }, "");
}

/**
 * Returns a state of a view that survives "Back" and reloading.
 * @param name distinguishes the states of one view
 */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (keptNow()[name] as T | undefined) ?? initial);
  const set = useCallback(
    (next: T) => {
      keep(name, next);
      setValue(next);
    },
    [name],
  );
  return [value, set];
}

const PLACE = "place";
/** Scroll events are frequent. The position is stored after the last of them. */
const SCROLLED_MS = 100;

/** After these events, the user no longer waits for the stored position. */
const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/**
 * Stores the scroll position of the page, and restores it as soon as the page is long enough.
 * @param isReady whether the scrolled content is loaded
 */
export function useKeptPlace(isReady: boolean): void {
  const wanted = useRef(keptNow()[PLACE] as number | undefined);
  useEffect(() => {
    if (!isReady || wanted.current === undefined) return;
    const goThere = () => {
      const place = wanted.current;
      if (place === undefined) return;
      scrollTo(0, place);
      if (scrollY >= Math.floor(place)) stop();
    };
    // parts of the page appear after the list
    const observer = new ResizeObserver(goThere);
    const stop = () => {
      wanted.current = undefined;
      observer.disconnect();
      for (const move of MOVES) removeEventListener(move, stop);
    };
    for (const move of MOVES) addEventListener(move, stop, { passive: true });
    observer.observe(document.documentElement);
    goThere();
    return stop;
  }, [isReady]);
  useEffect(() => {
    const here = location.hash;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scrolled = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // the position is not stored for the history entry of a different view, nor while the page scrolls back to the stored position
        if (location.hash === here && wanted.current === undefined) keep(PLACE, scrollY);
      }, SCROLLED_MS);
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("scroll", scrolled);
    };
  }, []);
}
