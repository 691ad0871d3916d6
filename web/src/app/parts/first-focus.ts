import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Focuses an element as soon as it appears. An effect after the next frame would take the focus from a user who has moved on to a different
 * field, and the typed text would go to the wrong field.
 */
export function useFirstFocus(ref: RefObject<HTMLElement | null>, isFirst = true): void {
  useLayoutEffect(() => {
    const element = ref.current;
    if (!isFirst || element === null) return;
    // showModal() looks for this attribute, because the dialog is not open yet
    element.autofocus = true;
    element.focus();
  }, [ref, isFirst]);
}
