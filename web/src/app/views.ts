import { lazily } from "./parts/lazily.js";
import type { Account } from "./session.js";
import type { View } from "./view.js";

export interface ViewEntry {
  /** First part of the route. */
  path: string;
  /** Text in the navigation and title of the page. */
  title: string;
  /** The roles whose navigation contains the view. */
  roles: readonly Account["role"][];
  /** Whether only links lead to the view, and not the navigation. */
  isUnlisted?: boolean;
  view: View;
}

/** The views for signed-in users, in the order of the navigation. */
export const VIEWS: readonly ViewEntry[] = [
  {
    path: "sessions",
    title: "Sessions",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./sessions/sessions-view.js")).SessionsView),
  },
  {
    path: "devices",
    title: "Devices",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./devices/devices-view.js")).DevicesView),
  },
  {
    path: "squads",
    title: "Squads",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./squads/squads-view.js")).SquadsView),
  },
  {
    path: "recordings",
    title: "Recordings",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./recordings/recordings-view.js")).RecordingsView),
  },
  {
    path: "athletes",
    title: "Athletes",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./athletes/athletes-view.js")).AthletesView),
  },
  {
    path: "activities",
    title: "Activities",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./activities/activities-view.js")).ActivitiesView),
  },
  {
    path: "webhooks",
    title: "Webhooks",
    roles: ["MANAGER"],
    view: lazily(async () => (await import("./webhooks/webhooks-view.js")).WebhooksView),
  },
  {
    path: "permissions",
    title: "Permissions",
    roles: ["ATHLETE"],
    view: lazily(async () => (await import("./permissions/permissions-view.js")).PermissionsView),
  },
  {
    path: "my-sessions",
    title: "My sessions",
    roles: ["ATHLETE"],
    view: lazily(async () => (await import("./season/own-view.js")).OwnView),
  },
  {
    path: "account",
    title: "Account",
    roles: ["MANAGER", "ATHLETE", "ADMINISTRATOR"],
    view: lazily(async () => (await import("./account/account-view.js")).AccountView),
  },
  {
    path: "connect",
    title: "Sign in a program",
    roles: ["MANAGER", "ATHLETE"],
    isUnlisted: true,
    view: lazily(async () => (await import("./account/connect-view.js")).ConnectView),
  },
];
