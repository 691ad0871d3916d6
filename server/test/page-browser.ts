/** A browser with the page of the service. */
import { beforeAll } from "vitest";
import { type Answer, type Send, service, type TestAccount, type TestService } from "./service.js";

export let s: TestService;

/** Gives the tests of a file their service. */
export function withBrowsers(): void {
  beforeAll(async () => {
    s = await service();
  });
}

export const PAGE = { "X-Asi-Page": "1" };
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** A browser with the page: it keeps the cookie that it gets. */
export class Browser {
  cookie: string | undefined;
  readonly at: TestService;

  constructor(at: TestService = s) {
    this.at = at;
  }

  /** A request of the page itself, unless other headers are given. */
  async send(method: string, path: string, { headers = PAGE, ...more }: Send = {}): Promise<Answer> {
    const answer = await this.at.send(method, path, {
      ...more,
      headers: {
        "User-Agent": FIREFOX,
        ...(this.cookie === undefined ? {} : { Cookie: this.cookie }),
        ...headers,
      },
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.cookie = /Max-Age=0/.test(set) ? undefined : set.split(";", 1)[0];
    return answer;
  }

  signIn({ username, password }: Pick<TestAccount, "username" | "password">): Promise<Answer> {
    return this.send("POST", "/session/", { json: { username, password } });
  }

  get token(): string {
    return this.cookie?.split("=")[1] ?? "";
  }

  /** Whether the session is open. */
  async isSignedIn(): Promise<boolean> {
    return (await this.send("GET", "/api/v1/account/")).status === 200;
  }
}

export async function signedIn(account: TestAccount, at: TestService = s): Promise<Browser> {
  const browser = new Browser(at);
  const { status, body } = await browser.signIn(account);
  if (status !== 201) throw new Error(`Not signed in: ${status} ${JSON.stringify(body)}`);
  return browser;
}
