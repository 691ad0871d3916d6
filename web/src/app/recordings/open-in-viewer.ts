import { unwrap } from "asi-client";
import type { DeviceRange } from "../../recording/fetch-range.js";
import type { ViewProps } from "../view.js";

const WITHOUT_SESSION: ReadonlySet<string | null> = new Set(["invalid_token", "not_authenticated"]);

/**
 * Fetches ranges and goes to the viewer. Where the session has ended, the user signs in first, as for every other request: the worker
 * that fetches cannot ask for it.
 */
export async function openInViewer(
  { client, workspace, go }: Pick<ViewProps, "client" | "workspace" | "go">,
  ranges: readonly DeviceRange[],
  isAdding: boolean,
): Promise<void> {
  let isShown = await workspace.openRanges(ranges, { isAdding });
  if (workspace.problems.peek().some(({ code }) => WITHOUT_SESSION.has(code))) {
    await unwrap(client.GET("/api/v1/account/"));
    isShown = await workspace.openRanges(ranges, { isAdding });
  }
  if (isShown) go("/");
}
