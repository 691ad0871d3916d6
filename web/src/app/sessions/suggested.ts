import { ApiError, type Client } from "asi-client";

/** A time with data of devices, without a session. */
export interface SuggestedSession {
  start_time: string;
  end_time: string;
  /** The squad of most of the athletes; null if it is unknown. */
  squad?: number | null;
  devices: readonly unknown[];
}

/** The times with data for which there is no session. None if the service does not know this operation. @throws ApiError, AwayError */
export async function suggestedSessions(
  client: Client,
  start_time: string,
  end_time: string,
  signal: AbortSignal,
): Promise<readonly SuggestedSession[]> {
  // not yet in the types of the API
  const path = "/api/v2/sessions/suggested/" as "/api/v2/sessions/";
  const params = { query: { start_time, end_time } as object };
  const { data, error, response } = await client.GET(path, { params, signal });
  if (response.status === 404 || response.status === 400) return [];
  if (data === undefined) throw new ApiError(response, error);
  return (data as unknown as { results: readonly SuggestedSession[] }).results;
}
