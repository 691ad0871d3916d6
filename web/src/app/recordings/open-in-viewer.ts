import { ApiError } from "asi-client";
import type { DeviceRange } from "../../recording/device-range.js";
import { rangeFileName } from "../../recording/range-file-name.js";
import { ReadingError } from "../../recording/reading-error.js";
import { AwayError } from "../connection.js";
import { afterSigningIn, isWithoutSession } from "../parts/after-signing-in.js";
import type { ViewProps } from "../view.js";

/** Fetches ranges and goes to the viewer; `problems` of the workspace says which could not be fetched. */
export async function openInViewer(
  { client, workspace, go }: Pick<ViewProps, "client" | "workspace" | "go">,
  ranges: readonly DeviceRange[],
  isAdding: boolean,
): Promise<void> {
  let left = ranges;
  let isShown = false;
  const openRest = async () => {
    const before = new Set(workspace.opened.peek());
    const isOpened = await workspace.openRanges(left, { isAdding: isAdding || isShown });
    isShown ||= isOpened;
    const added = workspace.opened.peek().filter((recording) => !before.has(recording));
    const names = new Set(added.map(({ facts }) => facts.fileName));
    left = left.filter((range) => !names.has(rangeFileName(range)));
    for (const { code, message } of workspace.problems.peek()) {
      if (isWithoutSession(code)) throw new ReadingError({ code, message, byteOffset: null, line: null });
    }
  };
  try {
    await afterSigningIn(client, openRest);
  } catch (error) {
    // the problems of the workspace stay, and say it
    if (![ReadingError, ApiError, AwayError].some((kind) => error instanceof kind)) throw error;
  }
  if (isShown) go("/");
}
