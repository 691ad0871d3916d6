import { computed, type ReadonlySignal, signal } from "@preact/signals";

const KEY = "asi-signed-in";
/** Stored instead of an account after a user has signed out. */
const SIGNED_OUT = "";

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

const remembered = signal(read());
addEventListener("storage", ({ key }) => {
  // the key is null when all storage is cleared
  if (key === KEY || key === null) remembered.value = read();
});

/**
 * The id of the account that is signed in with this browser, as text, or null if there is none. Scripts cannot see the session cookie. With
 * the stored id, a page without a session sends no requests to the service, and all tabs learn of a change.
 */
export const signedInAs: ReadonlySignal<string | null> = computed(
  () => remembered.value?.split(" ")[0] || null,
);

/** Returns whether an account has signed out, or another has signed in. An account whose session has only expired has not left. */
export const hasLeft = (account: string | null): boolean =>
  account !== null && remembered.peek() !== null && account !== signedInAs.peek();

/** Changes with every sign-in or sign-out in any tab, even if the same account signs in again. */
export const lastSigning: ReadonlySignal<string | null> = remembered;

/** @param hasExpired whether there is no account because its session has expired */
export function rememberSignedIn(account: number | null, hasExpired = false): void {
  // a tab that follows another does not know how the session has ended
  if (account === null && signedInAs.peek() === null) return;
  // other tabs get an event only if the text differs from the previous one
  const value = account !== null ? `${account} ${Date.now()}` : hasExpired ? null : SIGNED_OUT;
  remembered.value = value;
  try {
    if (value === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, value);
  } catch {
    // without storage the session applies to this tab
  }
}
