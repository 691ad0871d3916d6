import { route } from "./route.js";

/** Elements that a screen reader announces. They tell users where they are. */
const PLACES = "section, dialog[open], main";

const pathNow = () => route.peek()?.path.join("/") ?? "";

/**
 * Keeps the focus in the page when the focused element disappears, for example with a deleted row. The focus moves to the part around the
 * element, or to the whole view if a different view is shown. Otherwise, keys and screen readers would start at the top of the page.
 */
export function keepFocus(): void {
  let around: EventTarget[] = [];
  let path = pathNow();
  addEventListener("focusin", (event) => {
    around = event.composedPath();
    path = pathNow();
  });
  new MutationObserver(() => {
    const [lost] = around;
    if (document.activeElement !== document.body || !(lost instanceof Node) || lost.isConnected) return;
    const isSameView = path === pathNow();
    const part = isSameView ? around.find(isPlace) : undefined;
    around = [];
    const place = part ?? document.querySelector<HTMLElement>("main");
    if (place == null) return;
    if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
    place.focus({ preventScroll: isSameView });
  }).observe(document.body, { childList: true, subtree: true });
}

const isPlace = (target: EventTarget): target is HTMLElement =>
  target instanceof HTMLElement && target.isConnected && target.matches(PLACES);
