import { type ReadonlySignal, signal } from "@preact/signals";

/** Where the page is, as in `#/devices/12?tab=sensors`. */
export interface Route {
  /** The parts of the path, decoded: `["devices", "12"]`. */
  path: readonly string[];
  query: URLSearchParams;
}

/** The route in the part of an address after `#`; null for the viewer, whose links have no slash at their beginning. */
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

const current = signal(routeOf(location.hash));
addEventListener("hashchange", () => {
  current.value = routeOf(location.hash);
});

/** The route of the page; null while it shows the viewer. */
export const route: ReadonlySignal<Route | null> = current;

/** Goes to a route, such as `/devices/12`; `/` is the viewer. */
export function go(path: string): void {
  location.hash = `#${path}`;
}

/** The same, without a way back to where the page is now. */
export function goInstead(path: string): void {
  history.replaceState(null, "", `#${path}`);
  current.value = routeOf(location.hash);
}
