import type { components } from "./schema.js";

/** A job for an upload, or for other work that continues after the response. */
export type Job = components["schemas"]["Job"];

/** Thrown when the service refuses a request. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** The stable code in `X-Error-Code`, such as `not_found`, or null if the response does not come from the service. */
  readonly code: string | null;
  /** The body of the response: an object with messages, or text. */
  readonly body: unknown;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null;

  constructor(response: Response, body: unknown) {
    super(messageOf(body) || `The service responded with status ${response.status}.`);
    this.status = response.status;
    this.code = response.headers.get("X-Error-Code");
    this.body = body;
    this.requestId = response.headers.get("X-Request-Id");
  }

  /** Creates the error for a response from the response body. */
  static async of(response: Response): Promise<ApiError> {
    const text = await response.text();
    const type = response.headers.get("Content-Type") ?? "";
    const isJson = /^application\/(problem\+)?json/.test(type) && text !== "";
    return new ApiError(response, isJson ? JSON.parse(text) : text);
  }
}

/** Thrown when a job ends without success. */
export class JobFailedError extends Error {
  override readonly name = "JobFailedError";
  readonly job: Job;

  constructor(job: Job) {
    super(messageOf(job.details) || `The job ended in the state ${job.state}.`);
    this.job = job;
  }
}

/** Returns the messages in a body, each of them after the name of its field. */
function messageOf(body: unknown): string {
  if (typeof body === "string") return body;
  if (Array.isArray(body)) return body.map(messageOf).join(" ");
  if (typeof body !== "object" || body === null) return "";
  const { detail, message, error_description: description, ...fields } = body as Record<string, unknown>;
  const text = detail ?? message ?? description;
  if (typeof text === "string") return text;
  return Object.entries(fields)
    .map(([name, value]) => (name === "non_field_errors" ? messageOf(value) : `${name}: ${messageOf(value)}`))
    .join(" ");
}

/**
 * Returns the data of a response.
 * @throws ApiError if the service has refused the request
 */
export async function unwrap<Data>(
  result: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await result;
  if (!response.ok) throw new ApiError(response, error);
  return data as Data;
}
