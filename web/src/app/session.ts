import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, type Client, createClient, type paths, unwrap } from "asi-client";
import { PAGE_ADDRESS } from "../view/service.js";
import { lastSigning, rememberSignedIn, signedInAs } from "../view/signed-in.js";
import { AwayError, send, timesReturned } from "./connection.js";

/** The signed-in manager or athlete. */
export type Account = paths["/api/v1/account/"]["get"]["responses"][200]["content"]["application/json"];
export type ManagerAccount = Extract<Account, { manager_profile: object }>;
export type AthleteAccount = Extract<Account, { athlete_profile: object }>;

/** Excludes accounts of administrators. They look like managers, but only the operator changes them. */
export const isManager = (account: Account): account is ManagerAccount => account.role === "MANAGER";
export const isAthlete = (account: Account): account is AthleteAccount => account.role === "ATHLETE";

/** Returns whether the account may add athletes and edit its managed athletes. */
export const mayManageAthletes = (account: Account): boolean =>
  isManager(account) && account.extra_permissions.includes("can_create_managed_athletes");

type ManagerRegistration = paths["/api/v1/managers/"]["post"]["requestBody"]["content"]["application/json"];
type AthleteRegistration = paths["/api/v1/athletes/"]["post"]["requestBody"]["content"]["application/json"];
type WithPassword<Registration> = Registration & { password: string };

const RETURN_KEY = "asi-return";

/** Leaves the page for the OpenID provider, and stores the address to which the user returns. */
function leaveFor(there: { location: string }): void {
  try {
    sessionStorage.setItem(RETURN_KEY, location.hash);
  } catch {
    // without storage the user returns to the first view
  }
  location.assign(there.location);
}

/** Returns the fragment of the address that the user left for the OpenID provider, or null if there is none. */
export function addressLeft(): string | null {
  try {
    return sessionStorage.getItem(RETURN_KEY);
  } catch {
    return null;
  }
}

/** Leaves the page for the OpenID provider, which authenticates the user again. @throws ApiError, AwayError */
export async function authenticateAgain(client: Client): Promise<void> {
  leaveFor(await unwrap(client.POST("/session/openid/", { params: { query: { again: true } } })));
}

const OPTIONS = { baseUrl: PAGE_ADDRESS, session: true };

/** The signed-in user. */
export class Session {
  /** The account. It is null if no user is signed in, and undefined while that is unknown. */
  readonly account: ReadonlySignal<Account | null | undefined>;
  /** Whether the session has ended while the page was in use. */
  readonly hasEnded: ReadonlySignal<boolean>;
  /** The error of the request for the account, or null if there is none. */
  readonly problem: ReadonlySignal<unknown>;
  readonly #account = signal<Account | null | undefined>(undefined);
  readonly #hasEnded = signal(false);
  readonly #problem = signal<unknown>(null);
  /** The client for requests about the session itself. */
  readonly #plain: Client;
  /** The client for forms before sign-in. If the service requests a pause, the user sees it immediately. */
  readonly #impatient: Client;
  /** The signal is aborted when the account changes. */
  #ending = new AbortController();
  #client: Client;
  /** Number of requests for the account and of other changes to it. */
  #asked = 0;
  #isLeaving = false;
  #waiting: ((isSignedIn: boolean) => void)[] = [];

  constructor() {
    this.#plain = createClient({ ...OPTIONS, fetch: send });
    this.#impatient = createClient({ ...OPTIONS, fetch: send, retries: 0 });
    this.#client = this.#newClient();
    this.account = this.#account;
    this.hasEnded = this.#hasEnded;
    this.problem = this.#problem;
    effect(() => {
      const isAgain = timesReturned.value > 0;
      if (!isAgain || this.#account.peek() === undefined) this.begin();
    });
    let isKnown = false;
    effect(() => {
      lastSigning.value;
      if (isKnown) this.#follow(signedInAs.peek());
      isKnown = true;
    });
  }

  /**
   * The client of the views for the signed-in account. If the session has ended, a request waits until the user has signed in again. After
   * a change of the account, requests fail, because the cookie belongs to a different account.
   */
  get client(): Client {
    return this.#client;
  }

  #newClient(): Client {
    const { signal } = this.#ending;
    return createClient({
      ...OPTIONS,
      // otherwise a waiting request would be sent for the next account, and that account would get its result
      fetch: async (request) => {
        signal.throwIfAborted();
        const response = await send(request);
        signal.throwIfAborted();
        return response;
      },
      onSessionEnd: () => this.#signedInAgain(),
    });
  }

  /**
   * Loads the signed-in account. If the service is unreachable, the request is repeated when it is back.
   * @param isArriving whether the OpenID provider has just signed a user in; the browser then has only the cookie
   */
  async begin(isArriving = false): Promise<void> {
    this.#problem.value = null;
    if (!isArriving && signedInAs.peek() === null) {
      this.#become(null);
      return;
    }
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof AwayError)) this.#problem.value = error;
    }
  }

  /** Reloads the account after a change to the profile. */
  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    let account: Account | null = null;
    try {
      account = await unwrap(this.#plain.GET("/api/v1/account/"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    }
    // a late response belongs to an earlier session
    if (asked === this.#asked) this.#become(account, account === null);
  }

  /** @throws ApiError, AwayError */
  async signIn(username: string, password: string): Promise<void> {
    await unwrap(this.#impatient.POST("/session/", { body: { username, password } }));
    await this.refresh();
  }

  /** Leaves the page for the OpenID provider, which returns the user to it. @throws ApiError, AwayError */
  async signInWithProvider(): Promise<void> {
    leaveFor(await unwrap(this.#impatient.POST("/session/openid/")));
  }

  /** Leaves the page for the OpenID provider to link the account. @throws ApiError, AwayError */
  async linkProvider(password: string): Promise<void> {
    leaveFor(await unwrap(this.#plain.POST("/api/v2/sign-in-methods/provider/", { body: { password } })));
  }

  /** Registers a manager and signs in. @throws ApiError, AwayError */
  async registerManager(body: WithPassword<ManagerRegistration>, withDefaultAthlete: boolean): Promise<void> {
    const params = { query: { create_default_athlete: withDefaultAthlete } };
    await unwrap(this.#impatient.POST("/api/v1/managers/", { params, body }));
    await this.signIn(body.username, body.password);
  }

  /** Registers an athlete and signs in. @throws ApiError, AwayError */
  async registerAthlete(body: WithPassword<AthleteRegistration>): Promise<void> {
    await unwrap(this.#impatient.POST("/api/v1/athletes/", { body }));
    await this.signIn(body.username, body.password);
  }

  /** Requests an email with a link for a new password. @throws ApiError, AwayError */
  async requestPasswordReset(username: string): Promise<void> {
    await unwrap(this.#impatient.POST("/api/v1/account/request-password-reset/", { body: { username } }));
  }

  /** Sets a new password with the token from that link. @throws ApiError, AwayError */
  async resetPassword(token: string, password: string): Promise<void> {
    // the link may belong to a different account, and the current session would continue
    if (this.#account.peek() != null) await this.signOut();
    await unwrap(this.#impatient.POST("/api/v1/account/reset-password/", { body: { token, password } }));
    // all sessions of the account have ended
    this.#become(null);
  }

  /** @throws ApiError, AwayError */
  async signOut(): Promise<void> {
    this.#isLeaving = true;
    try {
      const { response, error } = await this.#plain.DELETE("/session/");
      // an expired session is also acceptable
      if (!response.ok && response.status !== 403) throw new ApiError(response, error);
      this.#become(null);
    } finally {
      this.#isLeaving = false;
    }
  }

  /** Leaves an expired session. Requests that wait for it are abandoned. */
  leave(): void {
    this.#become(null, this.#hasEnded.peek());
  }

  /** Applies the changes of another tab. */
  #follow(account: string | null): void {
    const known = this.#account.peek();
    if (known === undefined) {
      // a pending response belongs to the previous session
      this.begin();
      return;
    }
    const isKnown = String(known?.id ?? null) === String(account);
    // the same account has signed in again after the session had ended
    if (isKnown && !(account !== null && this.#hasEnded.peek())) return;
    if (account === null) this.#become(null);
    else {
      // after a change of the account, the old views must not use the new cookie, even while the service is unreachable
      if (!isKnown) this.#become(undefined);
      this.begin();
    }
  }

  /**
   * @param account undefined while it is unknown
   * @param hasExpired whether there is no account because its session has expired
   */
  #become(account: Account | null | undefined, hasExpired = false): void {
    this.#asked++;
    const known = this.#account.peek();
    const isSame = account != null && known?.id === account.id;
    if (known?.id !== account?.id) {
      this.#ending.abort(new DOMException("Another account is signed in, or none.", "AbortError"));
      this.#ending = new AbortController();
      this.#client = this.#newClient();
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#account.value = account;
    this.#hasEnded.value = false;
    if (account !== undefined) rememberSignedIn(account?.id ?? null, hasExpired);
    for (const resume of waiting) resume(isSame);
  }

  async #signedInAgain(): Promise<boolean> {
    const account = this.#account.peek();
    // the request was pending when the user signed out
    if (this.#isLeaving || account == null) return false;
    const { signal } = this.#ending;
    // a late refusal belongs to an earlier session, and there may be a new one
    if (!this.#hasEnded.peek() && (await this.#isSignedIn(account))) return true;
    if (this.#isLeaving || signal.aborted) return false;
    this.#hasEnded.value = true;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async #isSignedIn({ id }: Account): Promise<boolean> {
    try {
      return (await unwrap(this.#plain.GET("/api/v1/account/"))).id === id;
    } catch {
      return false;
    }
  }
}
