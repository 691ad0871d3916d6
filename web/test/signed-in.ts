import type { Page } from "playwright-core";
import { openPage } from "./page.js";
import { PASSWORD, type TestService } from "./service.js";

type Options = Parameters<typeof openPage>[0];

/** Opens the page of a service as a user who is signed in. The sign-in form has separate tests. */
export async function openSignedIn(
  service: TestService,
  { username }: { username: string },
  options: Options = {},
): Promise<Page> {
  const page = await openPage({
    at: service.address,
    // this address leads a signed-in user to the first view
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

/** Runs once per window, because it must not undo a sign-out. Runs in the page. */
function remember(account: string): void {
  if (localStorage.getItem("test-was-signed-in") !== null) return;
  localStorage.setItem("test-was-signed-in", "");
  localStorage.setItem("asi-signed-in", account);
}
