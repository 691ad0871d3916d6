/** The account with which this page sends requests. */

/**
 * Storage key under which the page at `/` records that somebody is signed in (`web/src/view/signed-in.ts`), because scripts
 * cannot read the cookie.
 */
const SIGNED_IN_KEY = "asi-signed-in";

export type Access =
  | { kind: "unknown" }
  | { kind: "none" }
  /** The session of the page. */
  | { kind: "session"; username: string }
  /** A typed token. It is kept only in this document. */
  | { kind: "token"; token: string };

/** The service recognises requests of its own page by this header. The session cookie is valid only with this header. */
const FROM_PAGE = "X-Asi-Page";

/** Root of the service with a trailing slash; also correct under a path prefix. */
export const SERVICE_ADDRESS = new URL("../../", location.href).href;

/** Codes of `X-Error-Code` for a request without valid credentials. */
const WITHOUT_CREDENTIALS = new Set(["not_authenticated", "invalid_token"]);

/** Format of the tokens issued by the service. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface SentRequest {
  url: string;
  headers?: Record<string, string>;
}

interface ReceivedResponse {
  url?: string;
  ok?: boolean;
  headers?: Record<string, string>;
}

export class CurrentAccess {
  #current: Access = { kind: "unknown" };
  readonly #listeners = new Set<() => void>();
  /** Number of session queries; a late response to an earlier query is ignored. */
  #asked = 0;

  get current(): Access {
    return this.#current;
  }

  /** @returns a function that stops listening */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #become(access: Access): void {
    this.#current = access;
    for (const listener of this.#listeners) listener();
  }

  /** Starts to follow the session of the page in all tabs. */
  begin(): void {
    addEventListener("storage", ({ key }) => {
      if ((key === SIGNED_IN_KEY || key === null) && this.#current.kind !== "token") this.#findSession();
    });
    this.#findSession();
  }

  /** @param isAsked whether to query the service even if no stored value indicates a session */
  async #findSession(isAsked = mayBeSignedIn()): Promise<void> {
    const asked = ++this.#asked;
    const username = isAsked ? await sessionOwner() : null;
    if (asked !== this.#asked) return;
    this.#become(username === null ? { kind: "none" } : { kind: "session", username });
  }

  /** @returns false if the text is not a token */
  useToken(text: string): boolean {
    const token = text.trim().replace(/^Bearer +/i, "");
    if (!TOKEN.test(token)) return false;
    this.#asked++;
    this.#become({ kind: "token", token });
    return true;
  }

  forgetToken(): void {
    this.#findSession();
  }

  /** Adds the credentials to requests to this service, and to no other. */
  authorize<R extends SentRequest>(request: R): R {
    if (!new URL(request.url, location.href).href.startsWith(SERVICE_ADDRESS)) return request;
    request.headers ??= {};
    const isAuthorized = Object.keys(request.headers).some((name) => name.toLowerCase() === "authorization");
    if (isAuthorized) return request;
    if (this.#current.kind === "token") request.headers.Authorization = `Bearer ${this.#current.token}`;
    else request.headers[FROM_PAGE] = "1";
    return request;
  }

  /** Updates the session from a response: it has ended, or a tried operation has started or ended it. */
  notice<R extends ReceivedResponse>(response: R): R {
    const code = response.headers?.["x-error-code"] ?? "";
    if (this.#current.kind === "session" && WITHOUT_CREDENTIALS.has(code)) this.#become({ kind: "none" });
    const isOfSession = response.ok === true && response.url === `${SERVICE_ADDRESS}session/`;
    if (isOfSession && this.#current.kind !== "token") this.#findSession(true);
    return response;
  }
}

function mayBeSignedIn(): boolean {
  try {
    return localStorage.getItem(SIGNED_IN_KEY) !== null;
  } catch {
    // Without storage, query the service.
    return true;
  }
}

/** Returns the username of the session of the page; null if there is none. */
async function sessionOwner(): Promise<string | null> {
  try {
    const response = await fetch(`${SERVICE_ADDRESS}api/v1/account/`, { headers: { [FROM_PAGE]: "1" } });
    return response.ok ? ((await response.json()) as { username: string }).username : null;
  } catch {
    return null;
  }
}
