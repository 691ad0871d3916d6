import type { Client, Resource } from "asi-client";
import { collected } from "../parts/collected.js";

export type Invitation = Resource["SquadInvitation"];
export type GuestRole = Invitation["role"];
/** The manager's access to a squad, as its owner or through an accepted invitation. */
export type SquadRole = "owner" | GuestRole;

const NAMES: Record<SquadRole, string> = {
  owner: "Owner",
  coach: "Coach",
  analyst: "Analyst",
  physician: "Physician",
};

/** The rights of each role. The text follows "may". */
const RIGHTS: Record<GuestRole, string> = {
  coach: "read the sessions and the season, without heart data",
  analyst:
    "read the sessions and the season, without heart data, and change sessions, periods, and numbers, positions and thresholds of players",
  physician: "read the sessions and the season, with heart data",
};

export const GUEST_ROLES = ["coach", "analyst", "physician"] as const;

export const roleName = (role: SquadRole): string => NAMES[role];

export const rightsOf = (role: GuestRole): string => RIGHTS[role];

export const mayReadHeart = (role: SquadRole): boolean => role === "owner" || role === "physician";

export const mayEdit = (role: SquadRole): boolean => role === "owner" || role === "analyst";

/** Loads the open and accepted invitations of the manager to squads of other managers. @throws ApiError, AwayError */
export const loadInvitations = (client: Client, signal: AbortSignal): Promise<Invitation[]> =>
  collected(client.list("/api/v2/invitations/", { params: { query: { limit: 1000 } }, signal }));

/** Finds the accepted invitation to a squad. Returns undefined for the owner. */
export const acceptedIn = (invitations: readonly Invitation[], squad: number): Invitation | undefined =>
  invitations.find((one) => one.squad === squad && one.accepted_at !== null);

export const roleIn = (invitations: readonly Invitation[], squad: number): SquadRole =>
  acceptedIn(invitations, squad)?.role ?? "owner";
