import type { Page } from "playwright-core";
import { openPage } from "./page.js";
import { type BuiltService, signIn } from "./service.js";

type Options = Parameters<typeof openPage>[0];

/** Opens the page of a service and signs in. */
export async function openSignedIn(
  { address }: BuiltService,
  { username }: { username: string },
  options: Options = {},
): Promise<Page> {
  const page = await openPage({ at: address, ...options, hash: "#/sign-in" });
  await signIn(page, username);
  return page;
}
