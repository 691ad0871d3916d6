/** Provides browsers with the page of the service. */
import { withSharedService } from "./file-service.js";
import type { Answer, Send, TestAccount, TestService } from "./service.js";

export const PAGE = { "X-Asi-Page": "1" };
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** A browser with the page; stores the cookie that it receives. */
export class Browser {
  cookie: string | undefined;
  readonly at: TestService;

  constructor(at: TestService) {
    this.at = at;
  }

  /** Sends a request as the page does, unless other headers are given. */
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

  /** Returns whether the session is active. */
  async isSignedIn(): Promise<boolean> {
    return (await this.send("GET", "/api/v1/account/")).status === 200;
  }
}

function browsersOn(s: TestService) {
  return {
    s,

    async signedIn(account: TestAccount, at = s): Promise<Browser> {
      const browser = new Browser(at);
      const { status, body } = await browser.signIn(account);
      if (status !== 201) throw new Error(`Not signed in: ${status} ${JSON.stringify(body)}`);
      return browser;
    },
  };
}

/** Creates an `it` for a file with a service and browsers. */
export const withBrowsers = () =>
  withSharedService().extend("browsers", { scope: "file" }, ({ service }) => browsersOn(service));
