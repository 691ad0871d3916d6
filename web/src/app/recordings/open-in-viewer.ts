import { ApiError } from "asi-client";
import { closeStored } from "../../opened-squad.js";
import { ReadingError } from "../../recording/calls.js";
import type { DeviceRange } from "../../recording/device-range.js";
import { rangeFileName } from "../../recording/file-names.js";
import { go as goTo, goToViewer, leaveViewerAddress, mayReplaceSquad } from "../../view/route.js";
import { AwayError } from "../connection.js";
import { afterSigningIn, isWithoutSession } from "../parts/after-signing-in.js";
import type { ViewProps } from "../view.js";
import { addressOf } from "./address.js";

/** Loads ranges and shows them in the viewer. The address names them while the viewer shows exactly these ranges. */
export async function openAtAddress(
  props: Pick<ViewProps, "client" | "workspace">,
  ranges: readonly DeviceRange[],
  address = addressOf(ranges),
): Promise<void> {
  const { opened } = props.workspace;
  const go = (path: string) => {
    const shown = opened.peek();
    // some ranges could not be loaded, or a file was opened in the meantime
    if (shown.length !== ranges.length) {
      goTo(path);
      return;
    }
    goToViewer(address);
    const stop = opened.subscribe((now) => {
      if (now === shown) return;
      leaveViewerAddress(now.length > 0);
      stop();
    });
  };
  await openInViewer({ ...props, go }, ranges, false);
}

/** Loads ranges and goes to the viewer. `problems` of the workspace contains the errors. */
export async function openInViewer(
  { client, workspace, go }: Pick<ViewProps, "client" | "workspace" | "go">,
  ranges: readonly DeviceRange[],
  isAdding: boolean,
): Promise<void> {
  // an open squad of the service is closed below
  if (!(await mayReplaceSquad())) return;
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
    // the problems of the workspace stay visible
    if (![ReadingError, ApiError, AwayError].some((kind) => error instanceof kind)) throw error;
  }
  if (!isShown) return;
  // an open squad would hide the ranges
  closeStored();
  go("/");
}
