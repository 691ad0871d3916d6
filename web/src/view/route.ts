import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** A route of the page, such as `#/devices/12?tab=sensors`. */
export interface Route {
  /** The decoded parts of the path, such as `["devices", "12"]`. */
  path: readonly string[];
  query: URLSearchParams;
}

/** Returns the route in the fragment of an address, or null for the viewer, whose links do not begin with a slash. */
export function routeOf(hash: string): Route | null {
  if (!hash.startsWith("#/")) return null;
  const [path = "", query = ""] = hash.slice(2).split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What the user leaves: a view, the open squad, or the page with all of its data. */
export type Leaving = "view" | "squad" | "page";

/** The fragment of the address bar, including `#`. */
const here = signal(location.hash);
/** The address of the viewer if it is not `#/`, or null if there is none. */
const viewerAddress = signal<string | null>(null);
/** The target of a navigation by the page itself. */
let wanted: string | null = null;
let mayLeave: (leaving: Leaving) => Promise<boolean> = async () => true;

function arrive(): void {
  wanted = null;
  here.value = location.hash;
}

addEventListener("hashchange", async () => {
  if (location.hash === here.peek()) return;
  if (location.hash === wanted || (await mayLeave("view"))) arrive();
  // a link or a button of the browser has already changed the address
  else history.pushState(null, "", here.peek() || "#");
});

/**
 * Makes links and the buttons of the browser ask before they leave a route, and the page before it replaces a squad. Other navigation by
 * the page does not ask.
 */
export function askBeforeLeaving(ask: (leaving: Leaving) => Promise<boolean>): void {
  mayLeave = ask;
}

/** Asks before other content replaces the open squad with its unsaved changes. */
export const mayReplaceSquad = (): Promise<boolean> => mayLeave("squad");

/** The route of the page, or null while the page shows the viewer. */
export const route: ReadonlySignal<Route | null> = computed(() =>
  here.value === viewerAddress.value ? null : routeOf(here.value),
);

/** Shows the viewer at a separate address, such as the address of a stored range, until `leaveViewerAddress`. */
export function goToViewer(hash: string): void {
  viewerAddress.value = hash;
  if (location.hash !== hash) go(hash.slice(1));
}

/** Returns whether the viewer has a separate address. */
export const isAtViewerAddress = (): boolean => here.peek() === viewerAddress.peek();

/** Called when the viewer stops showing the content of its address. @param showsOther whether it shows other content instead */
export function leaveViewerAddress(showsOther: boolean): void {
  if (isAtViewerAddress() && showsOther) goInstead("/");
  viewerAddress.value = null;
}

/** Goes to a route, such as `/devices/12`. The route `/` is the viewer. */
export function go(path: string): void {
  location.hash = `#${path}`;
  wanted = location.hash;
}

/** Goes to a route like `go`, but replaces the current entry of the history. */
export function goInstead(path: string): void {
  history.replaceState(null, "", `#${path}`);
  arrive();
}
