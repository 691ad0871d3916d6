import type { Client } from "asi-client";
import type { ComponentType } from "preact";
import type { Workspace } from "../recording/workspace.js";
import type { Settings } from "../view/settings.js";
import type { Account, Session } from "./session.js";

/** Props of every view. */
export interface ViewProps {
  /** The typed client with the session. */
  client: Client;
  /** The signed-in user. */
  account: Account;
  session: Session;
  /** The parts of the route after the name of the view, such as `["12"]` at `#/devices/12`. */
  params: readonly string[];
  /** The part of the route after `?`. */
  query: URLSearchParams;
  /** Goes to a route, such as `/devices/12`. The route `/` is the viewer. */
  go: (path: string) => void;
  settings: Settings;
  /** The recordings that are open in the viewer. */
  workspace: Workspace;
}

export type View = ComponentType<ViewProps>;
