import { type Client, unwrap } from "asi-client";

/** Loads the first hundred times at which devices have data but no session. @throws ApiError, AwayError */
export async function suggestedSessions(
  client: Client,
  start_time: string,
  end_time: string,
  signal: AbortSignal,
) {
  const query = { start_time, end_time };
  return (await unwrap(client.GET("/api/v2/sessions/suggested/", { params: { query }, signal }))).results;
}

/** A time at which devices have data but no session. */
export type SuggestedSession = Awaited<ReturnType<typeof suggestedSessions>>[number];
