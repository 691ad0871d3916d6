import { type Client, unwrap } from "asi-client";
import { ReadingError } from "../../recording/reading-error.js";

const WITHOUT_SESSION: ReadonlySet<string | null> = new Set(["invalid_token", "not_authenticated"]);

/** Whether an error with this code says that the session has ended. */
export const isWithoutSession = (code: string | null): boolean => WITHOUT_SESSION.has(code);

/**
 * Does what the worker fetches. Where the session has ended, the user signs in first, as for every other request, and it is done once
 * more: the worker cannot ask for it.
 * @throws what `work` throws; ApiError, AwayError of the request for which the user signs in
 */
export async function afterSigningIn<Done>(client: Client, work: () => Promise<Done>): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReadingError) || !isWithoutSession(error.failure.code)) throw error;
    await unwrap(client.GET("/api/v1/account/"));
    return work();
  }
}
