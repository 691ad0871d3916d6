import { isRecord } from "../../arguments.js";
import { DescribedError } from "../terminal/problem.js";

/** Problems with requests to a service. */
export type ServiceProblem =
  /** The token is wrong or has expired. */
  | "TOKEN_REFUSED"
  /** The service refuses this request, but may accept others. */
  | "SERVICE_REFUSED"
  /** The service cannot be reached or is unavailable, even after retries. */
  | "SERVICE_UNAVAILABLE"
  /** The response is not from an asi-server. */
  | "NOT_A_SERVICE";

export function serviceError(code: ServiceProblem, message: string): DescribedError {
  return new DescribedError({ error: { code, message } });
}

/** Values of `X-Error-Code` for a missing or invalid token. Version 1 of the API sends them with status 403. */
const WITHOUT_TOKEN = ["not_authenticated", "invalid_token"];

/** Temporary statuses. They mean that there are too many requests, or that the service or a proxy before it is restarting. */
const PASSING = [429, 502, 503, 504];

/** Returns whether the same request may succeed later. */
export const isPassing = ({ status }: Response): boolean => PASSING.includes(status);

/** Creates the error for an unexpected response. */
export async function errorOf(response: Response, base: URL): Promise<DescribedError> {
  const { status, headers } = response;
  const location = headers.get("Location");
  if (status >= 300 && status < 400) {
    return serviceError(
      "NOT_A_SERVICE",
      `${base.href} redirects${location === null ? "" : ` to ${location}`}. The token was not sent there; give the address of the service itself.`,
    );
  }
  const code = headers.get("X-Error-Code") ?? "";
  if (status === 401 || WITHOUT_TOKEN.includes(code)) {
    return serviceError(
      "TOKEN_REFUSED",
      `${base.href} refuses the token: it is wrong, or has expired (tokens are valid for 10 hours). Get a new one, set ASI_TOKEN or the file of --token-file, and run the command again to continue.`,
    );
  }
  const said = await reasonOf(response);
  if (isPassing(response) || status >= 500) {
    return serviceError("SERVICE_UNAVAILABLE", `${base.href} is not available (${status}): ${said}`);
  }
  // a response without a code is not from an asi-server
  if (status === 404 && code === "") return notAService(base);
  return serviceError("SERVICE_REFUSED", `The service refuses the request (${status}): ${said}`);
}

export const notAService = (base: URL): DescribedError =>
  serviceError("NOT_A_SERVICE", `${base.href} is not the address of an asi-server.`);

const MAX_REASON = 300;

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const body: unknown = JSON.parse(text);
    const { detail, title } = isRecord(body) ? body : {};
    const said = [detail, title].find((one) => typeof one === "string");
    return (typeof said === "string" ? said : text).slice(0, MAX_REASON);
  } catch {
    // the response is a page of a proxy
    return response.statusText || "without a reason";
  }
}
