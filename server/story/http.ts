export interface Sent {
  method?: string;
  token?: string;
  json?: unknown;
  form?: Record<string, string>;
}

/** Sends a request. @returns the body, typed by the document @throws Error if the response has another status */
export async function expectStatus<Body = unknown>(
  status: number,
  url: string,
  { method, token, json, form }: Sent,
): Promise<Body> {
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
  const response = await fetch(url, {
    method: method ?? "POST",
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (response.status !== status) {
    throw new Error(`${method ?? "POST"} ${url}: ${response.status} instead of ${status}: ${text}`);
  }
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}
