import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Puts the cursor in an element at the moment when it appears. An effect after the next frame would take the cursor
 * from a user who has gone on to another field, and what is typed would land in the wrong one.
 */
export function useFirstFocus(ref: RefObject<HTMLElement | null>, isFirst = true): void {
  useLayoutEffect(() => {
    const element = ref.current;
    if (!isFirst || element === null) return;
    // a dialog is not open yet: showModal() looks for this attribute
    element.autofocus = true;
    element.focus();
  }, [ref, isFirst]);
}
