import type { Page } from "playwright-core";
import { openPage } from "./page.js";
import { PASSWORD, type TestService } from "./service.js";

type Options = Parameters<typeof openPage>[0];

/** Opens the page of a service as somebody who has signed in there before. The form for it has tests of its own. */
export async function openSignedIn(
  service: TestService,
  { username }: { username: string },
  options: Options = {},
): Promise<Page> {
  const page = await openPage({
    at: service.address,
    // which leads who is signed in to the first view
    hash: "#/sign-in",
    ...options,
    prepare: async (context) => {
      const response = await context.request.post(`${service.address}session/`, {
        headers: { "X-Asi-Page": "1" },
        data: { username, password: PASSWORD },
      });
      if (response.status() !== 201) throw new Error(`${username} cannot sign in: ${await response.text()}`);
      await context.addInitScript(remember, `${service.idOf(username)} ${Date.now()}`);
    },
  });
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  return page;
}

/** Once in a window, so that it does not undo a signing out. In the page. */
function remember(account: string): void {
  if (localStorage.getItem("test-was-signed-in") !== null) return;
  localStorage.setItem("test-was-signed-in", "");
  localStorage.setItem("asi-signed-in", account);
}
