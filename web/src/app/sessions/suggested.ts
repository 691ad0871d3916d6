import { type Client, unwrap } from "asi-client";

/** The times with data of devices for which there is no session, the first hundred. @throws ApiError, AwayError */
export async function suggestedSessions(
  client: Client,
  start_time: string,
  end_time: string,
  signal: AbortSignal,
) {
  const query = { start_time, end_time };
  return (await unwrap(client.GET("/api/v2/sessions/suggested/", { params: { query }, signal }))).results;
}

/** A time with data of devices, without a session. */
export type SuggestedSession = Awaited<ReturnType<typeof suggestedSessions>>[number];
