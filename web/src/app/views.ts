import { AccountView } from "./account/account-view.js";
import { ActivitiesView } from "./activities/activities-view.js";
import { AthletesView } from "./athletes/athletes-view.js";
import { DevicesView } from "./devices/devices-view.js";
import { PermissionsView } from "./permissions/permissions-view.js";
import { RecordingsView } from "./recordings/recordings-view.js";
import type { Account } from "./session.js";
import type { View } from "./view.js";
import { WebhooksView } from "./webhooks/webhooks-view.js";

export interface ViewEntry {
  /** The first part of the route. */
  path: string;
  /** In the navigation and as the title of the page. */
  title: string;
  /** Whose navigation has the view. */
  roles: readonly Account["role"][];
  /** Without it there is nothing to go to, and the navigation does not have it. */
  view?: View;
}

/** The views of the signed-in half of the page, in the order of the navigation. */
export const VIEWS: readonly ViewEntry[] = [
  {
    path: "devices",
    title: "Devices",
    roles: ["MANAGER"],
    view: DevicesView,
  },
  {
    path: "recordings",
    title: "Recordings",
    roles: ["MANAGER"],
    view: RecordingsView,
  },
  {
    path: "athletes",
    title: "Athletes",
    roles: ["MANAGER"],
    view: AthletesView,
  },
  {
    path: "activities",
    title: "Activities",
    roles: ["MANAGER"],
    view: ActivitiesView,
  },
  {
    path: "webhooks",
    title: "Webhooks",
    roles: ["MANAGER"],
    view: WebhooksView,
  },
  {
    path: "permissions",
    title: "Permissions",
    roles: ["ATHLETE"],
    view: PermissionsView,
  },
  {
    path: "account",
    title: "Account",
    roles: ["MANAGER", "ATHLETE", "ADMINISTRATOR"],
    view: AccountView,
  },
];
