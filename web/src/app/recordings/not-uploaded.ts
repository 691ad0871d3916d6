import { type Signal, signal } from "@preact/signals";

const KEY = "asi-not-uploaded";

interface Stored {
  account: number;
  names: readonly string[];
}

/** The names of files that a tab had not uploaded when it was closed or loaded again. The files themselves are not stored. */
export class NotUploaded {
  /** Names from before the page was loaded. */
  readonly earlier: Signal<readonly string[]>;
  readonly #account: number;
  #current: readonly string[] = [];

  /** @param account the id of the signed-in account; names of another account are ignored */
  constructor(account: number) {
    this.#account = account;
    const stored = read();
    this.earlier = signal(stored?.account === account ? stored.names : []);
  }

  /** Stores the names of files that are not uploaded yet. */
  keep(names: readonly string[]): void {
    this.#current = names;
    this.#write();
  }

  /** Removes names from before, because these files were added again, or all names. */
  dismiss(names: readonly string[] = this.earlier.peek()): void {
    this.earlier.value = this.earlier.peek().filter((name) => !names.includes(name));
    this.#write();
  }

  #write(): void {
    const names = [...this.earlier.peek(), ...this.#current];
    try {
      if (names.length === 0) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify({ account: this.#account, names } satisfies Stored));
    } catch {
      // without storage, the names are not shown after a reload
    }
  }
}

function read(): Stored | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Stored | null;
  } catch {
    return null;
  }
}
