import { type Client, unwrap } from "asi-client";
import { ReadingError } from "../../recording/calls.js";

const WITHOUT_SESSION: ReadonlySet<string | null> = new Set(["invalid_token", "not_authenticated"]);

/** Whether an error with this code says that the session has ended. */
export const isWithoutSession = (code: string | null): boolean => WITHOUT_SESSION.has(code);

/**
 * Does what the worker fetches. Where the session has ended, the user signs in first, as for every other request, and it is done once
 * more: the worker cannot ask for it. Where the service does not answer the worker, the page asks too, so that it knows.
 * @throws what `work` throws; ApiError, AwayError of the request of the page
 */
export async function afterSigningIn<Done>(client: Client, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof ReadingError ? error.failure.code : null;
    if (!isWithoutSession(code) && code !== "AWAY") throw error;
    await unwrap(client.GET("/api/v1/account/"));
    return work();
  }
}
