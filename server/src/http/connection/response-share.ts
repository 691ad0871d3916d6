/** Progress of a request on its connection. */
export interface Transfer {
  /** Bytes of the connection so far, in both directions. */
  bytes: number;
  /** Whether the service waits for the client to send or read. */
  waitsForClient: boolean;
}

/** The budget of which a share is a part, see `ResponseBudget`. */
interface Budget {
  reserve(share: ResponseShare, bytes: number, signal: AbortSignal | undefined): Promise<void>;
  resize(share: ResponseShare, bytes: number): void;
}

/** Part of the budget held by one response until its client has read it. */
export class ResponseShare {
  readonly caller: string;
  readonly address: string;
  /** Ends the connection. */
  readonly end: () => void;
  readonly #budget: Budget;
  readonly #transfer: () => Transfer;
  bytes = 0;
  sinceMs = 0;
  #movedBefore = 0;
  isReleased = false;

  constructor(budget: Budget, caller: string, address: string, end: () => void, transfer: () => Transfer) {
    this.#budget = budget;
    this.caller = caller;
    this.address = address;
    this.end = end;
    this.#transfer = transfer;
  }

  /** Starts the time during which the response holds part of the budget. */
  begin(): void {
    this.sinceMs = performance.now();
    this.#movedBefore = this.#transfer().bytes;
  }

  get heldMs(): number {
    return performance.now() - this.sinceMs;
  }

  /** Whether the service waits for the client, which has been slower than the rate since the beginning. */
  isSlowerThan(bytesPerSecond: number): boolean {
    const { bytes, waitsForClient } = this.#transfer();
    return waitsForClient && bytes - this.#movedBefore < (bytesPerSecond * this.heldMs) / 1000;
  }

  /**
   * Waits until there is space for a body of this size. Call it before creating the body, and again before the body grows.
   * @throws ServiceError `throttled` if the caller or its address, `unavailable` if all together have too many unread bytes for
   *   too long; the reason of the signal
   */
  reserve(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#budget.reserve(this, bytes, signal);
  }

  /** Sets the actual size of the body. */
  resize(bytes: number): void {
    if (!this.isReleased) this.#budget.resize(this, bytes);
  }

  /** Releases the share. Call it when the client has read the response or has disconnected. */
  release(): void {
    if (this.isReleased) return;
    this.#budget.resize(this, 0);
    this.isReleased = true;
  }
}
