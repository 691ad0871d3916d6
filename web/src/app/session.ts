import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, type Client, createClient, type paths, unwrap } from "asi-client";
import { PAGE_ADDRESS } from "../view/service.js";
import { lastSigning, rememberSignedIn, signedInAs } from "../view/signed-in.js";
import { AwayError, send, timesReturned } from "./connection.js";

/** A manager or an athlete, as the service describes who is signed in. */
export type Account = paths["/api/v1/account/"]["get"]["responses"][200]["content"]["application/json"];
export type ManagerAccount = Extract<Account, { manager_profile: object }>;
export type AthleteAccount = Extract<Account, { athlete_profile: object }>;

/** Not for the accounts of administrators, who look like managers, and whom only the operator changes. */
export const isManager = (account: Account): account is ManagerAccount => account.role === "MANAGER";
export const isAthlete = (account: Account): account is AthleteAccount => account.role === "ATHLETE";

/** Whether the account may add athletes, and change those whom it manages. */
export const mayManageAthletes = (account: Account): boolean =>
  isManager(account) && account.extra_permissions.includes("can_create_managed_athletes");

type ManagerRegistration = paths["/api/v1/managers/"]["post"]["requestBody"]["content"]["application/json"];
type AthleteRegistration = paths["/api/v1/athletes/"]["post"]["requestBody"]["content"]["application/json"];
type WithPassword<Registration> = Registration & { password: string };

const OPTIONS = { baseUrl: PAGE_ADDRESS, session: true };

/** The signed-in user. */
export class Session {
  /** Null when nobody is signed in, undefined until that is known. */
  readonly account: ReadonlySignal<Account | null | undefined>;
  /** Whether the session has ended while the page was used. */
  readonly hasEnded: ReadonlySignal<boolean>;
  /** Why it is not known who is signed in; null unless the service has refused to say it. */
  readonly problem: ReadonlySignal<unknown>;
  readonly #account = signal<Account | null | undefined>(undefined);
  readonly #hasEnded = signal(false);
  readonly #problem = signal<unknown>(null);
  /** For requests about the session itself. */
  readonly #plain: Client;
  /** For the forms before signing in: a waiting user is told that the service wants a pause. */
  readonly #impatient: Client;
  /** Aborted when the account changes. */
  #ending = new AbortController();
  #client: Client;
  /** How often the service was asked for the account, or the answer has become known otherwise. */
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
   * For the views: that of the account that is signed in. A request without a session waits until the user has signed in again.
   * Once the account has changed, requests fail: the cookie is another's.
   */
  get client(): Client {
    return this.#client;
  }

  #newClient(): Client {
    const { signal } = this.#ending;
    return createClient({
      ...OPTIONS,
      // a request that waits to be repeated would otherwise be sent for the next account, and what it gives be taken for this one's
      fetch: async (request) => {
        signal.throwIfAborted();
        const response = await send(request);
        signal.throwIfAborted();
        return response;
      },
      onSessionEnd: () => this.#signedInAgain(),
    });
  }

  /** Finds out who is signed in. When the service is unreachable, this is tried again when it is back. */
  async begin(): Promise<void> {
    this.#problem.value = null;
    if (signedInAs.peek() === null) {
      this.#become(null);
      return;
    }
    try {
      await this.refresh();
    } catch (error) {
      if (!(error instanceof AwayError)) this.#problem.value = error;
    }
  }

  /** Asks the service for the account again, after a change of the profile. */
  async refresh(): Promise<void> {
    const asked = ++this.#asked;
    let account: Account | null = null;
    try {
      account = await unwrap(this.#plain.GET("/api/v1/account/"));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    }
    // a late answer is about a session from before
    if (asked === this.#asked) this.#become(account);
  }

  /** @throws ApiError, AwayError */
  async signIn(username: string, password: string): Promise<void> {
    await unwrap(this.#impatient.POST("/session/", { body: { username, password } }));
    await this.refresh();
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

  /** Has a link for a new password mailed. @throws ApiError, AwayError */
  async requestPasswordReset(username: string): Promise<void> {
    await unwrap(this.#impatient.POST("/api/v1/account/request-password-reset/", { body: { username } }));
  }

  /** Sets a new password by the token of that link. @throws ApiError, AwayError */
  async resetPassword(token: string, password: string): Promise<void> {
    // the link may be that of another account than the one that is signed in here, whose session would stay
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
      // a session that has ended by itself is as good
      if (!response.ok && response.status !== 403) throw new ApiError(response, error);
      this.#become(null);
    } finally {
      this.#isLeaving = false;
    }
  }

  /** Leaves a session that has ended: requests that waited for it are abandoned. */
  leave(): void {
    this.#become(null);
  }

  /** Takes over what another tab has done. */
  #follow(account: string | null): void {
    const known = this.#account.peek();
    if (known === undefined) {
      // a pending response belongs to the previous session
      this.begin();
      return;
    }
    const isKnown = String(known?.id ?? null) === String(account);
    // the same account again: signed in again after the session had ended
    if (isKnown && !(account !== null && this.#hasEnded.peek())) return;
    if (account === null) this.#become(null);
    else {
      // another account: its cookie must not meet the views of this one, not even while the service is unreachable
      if (!isKnown) this.#become(undefined);
      this.begin();
    }
  }

  /** @param account undefined until it is known which one */
  #become(account: Account | null | undefined): void {
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
    if (account !== undefined) rememberSignedIn(account?.id ?? null);
    for (const resume of waiting) resume(isSame);
  }

  async #signedInAgain(): Promise<boolean> {
    const account = this.#account.peek();
    // of a request that was on its way when the user signed out
    if (this.#isLeaving || account == null) return false;
    const { signal } = this.#ending;
    // a late refusal is of the session before: there may be a new one already
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
