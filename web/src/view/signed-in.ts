import { computed, type ReadonlySignal, signal } from "@preact/signals";

const KEY = "asi-signed-in";

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

const remembered = signal(read());
addEventListener("storage", ({ key }) => {
  // the key is null when the whole storage is cleared
  if (key === KEY || key === null) remembered.value = read();
});

/**
 * The id of the account that is signed in in this browser, as text; null for none. Scripts cannot see the cookie of the session, so
 * this is remembered beside it: a page without a session asks the service for nothing, and all tabs learn of a change.
 */
export const signedInAs: ReadonlySignal<string | null> = computed(
  () => remembered.value?.split(" ")[0] ?? null,
);

/** Changes with every signing in or out in any tab, also when the same account signs in again. */
export const lastSigning: ReadonlySignal<string | null> = remembered;

export function rememberSignedIn(account: number | null): void {
  // other tabs get an event only if the text differs from the previous one
  const value = account === null ? null : `${account} ${Date.now()}`;
  remembered.value = value;
  try {
    if (value === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, value);
  } catch {
    // without storage the session is that of this tab
  }
}
