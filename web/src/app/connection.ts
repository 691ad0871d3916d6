import { signal } from "@preact/signals";
import { PAGE_ADDRESS } from "../view/service.js";

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;

/** Thrown when the service does not respond. */
export class AwayError extends Error {
  override readonly name = "AwayError";
  constructor() {
    super("The service does not respond.");
  }
}

/** Whether the service is unavailable. */
export const isAway = signal(false);

/** How many times the service has become available again. When this number changes, the page repeats failed requests. */
export const timesReturned = signal(0);

/**
 * Returns whether a response comes from the service. Each response of the service has this header. A response without it comes from a
 * proxy.
 */
const isOfService = ({ headers, status }: Response) => headers.has("X-Request-Id") || status < 500;

/**
 * Sends a request from the page.
 * @throws AwayError if the service does not respond; the page then polls until the service responds
 */
export async function send(request: Request): Promise<Response> {
  let response: Response | null = null;
  try {
    response = await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
  }
  if (response === null || !isOfService(response)) {
    waitForService();
    throw new AwayError();
  }
  return response;
}

async function waitForService(): Promise<void> {
  if (isAway.peek()) return;
  isAway.value = true;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (await answers()) break;
  }
  isAway.value = false;
  timesReturned.value = timesReturned.peek() + 1;
}

/** Returns whether the service responds to a request that needs its database. */
async function answers(): Promise<boolean> {
  try {
    const response = await fetch(`${PAGE_ADDRESS}api/v1/account/`, { headers: { "X-Asi-Page": "1" } });
    return response.headers.has("X-Request-Id") && response.status < 500;
  } catch {
    return false;
  }
}
