import { type Client, unwrap } from "asi-client";
import { ReadingError } from "../../recording/calls.js";

const WITHOUT_SESSION: ReadonlySet<string | null> = new Set(["invalid_token", "not_authenticated"]);

/** Returns whether an error with this code means that the session has ended. */
export const isWithoutSession = (code: string | null): boolean => WITHOUT_SESSION.has(code);

/**
 * Runs `work` in the worker. If the session has ended, the user signs in and `work` runs once more, because the worker cannot ask the user.
 * If the service does not respond to the worker, the page sends a request to detect the outage.
 * @throws errors of `work`; ApiError, AwayError for the request of the page
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
