import { type Client, unwrap } from "asi-client";

/** The first hundred times with data of devices without a session. @throws ApiError, AwayError */
export async function suggestedSessions(
  client: Client,
  start_time: string,
  end_time: string,
  signal: AbortSignal,
) {
  const query = { start_time, end_time };
  return (await unwrap(client.GET("/api/v2/sessions/suggested/", { params: { query }, signal }))).results;
}

/** A time with data of devices but without a session. */
export type SuggestedSession = Awaited<ReturnType<typeof suggestedSessions>>[number];
