/** As whom requests are sent. */

/** Where the page at `/` remembers that somebody is signed in (`web/src/view/signed-in.ts`): scripts cannot see the cookie. */
const SIGNED_IN_KEY = "asi-signed-in";

export type Access =
  | { kind: "unknown" }
  | { kind: "none" }
  /** The session of the page. */
  | { kind: "session"; username: string }
  /** A token that was typed in. It is kept in this document only. */
  | { kind: "token"; token: string };

/** The header by which the service knows requests of its own page. It counts the cookie of the session with this header only. */
const FROM_PAGE = "X-Asi-Page";

/** Folder of the service, with a slash at its end; right under a path prefix too. */
export const SERVICE_ADDRESS = new URL("../../", location.href).href;

/** The codes of `X-Error-Code` for a request without valid credentials. */
const WITHOUT_CREDENTIALS = new Set(["not_authenticated", "invalid_token"]);

/** The form of the tokens that the service issues. */
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
  /** How often the session was asked for; a late answer is about one from before. */
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

  /** Begins to follow the session of the page, in all tabs. */
  begin(): void {
    addEventListener("storage", ({ key }) => {
      if ((key === SIGNED_IN_KEY || key === null) && this.#current.kind !== "token") this.#findSession();
    });
    this.#findSession();
  }

  /** @param isAsked whether the service is asked even if nothing says that somebody is signed in */
  async #findSession(isAsked = mayBeSignedIn()): Promise<void> {
    const asked = ++this.#asked;
    const username = isAsked ? await sessionOwner() : null;
    if (asked !== this.#asked) return;
    this.#become(username === null ? { kind: "none" } : { kind: "session", username });
  }

  /** @returns false when this is no token */
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

  /** Adds what says who sends a request, to requests to this service and to no other. */
  authorize<R extends SentRequest>(request: R): R {
    if (!new URL(request.url, location.href).href.startsWith(SERVICE_ADDRESS)) return request;
    request.headers ??= {};
    const isAuthorized = Object.keys(request.headers).some((name) => name.toLowerCase() === "authorization");
    if (isAuthorized) return request;
    if (this.#current.kind === "token") request.headers.Authorization = `Bearer ${this.#current.token}`;
    else request.headers[FROM_PAGE] = "1";
    return request;
  }

  /** Notices what a response says about the session: it has ended, or it has begun or ended by an operation that was tried. */
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
    // Without storage there is no other way to know than to ask.
    return true;
  }
}

/** The username of the session of the page; null without one. */
async function sessionOwner(): Promise<string | null> {
  try {
    const response = await fetch(`${SERVICE_ADDRESS}api/v1/account/`, { headers: { [FROM_PAGE]: "1" } });
    return response.ok ? ((await response.json()) as { username: string }).username : null;
  } catch {
    return null;
  }
}
