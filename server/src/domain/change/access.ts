import type { Scope } from "../../store/schema.js";
import { ownApplication, ownPageSession, ownPersonalToken, thatAthlete } from "../accounts/rules.js";
import { anyActivity, ownActivity } from "../activities/rules.js";
import { ownAssignment } from "../assignments/rules.js";
import {
  athletesManager,
  athletesManagerWhoManages,
  managersWhoManage,
  readersOrThatAthlete,
  thatAthleteOrManager,
  thatAthleteOrManagerWhoManages,
} from "../athletes/rules.js";
import { ownJob } from "../bulk-load/rules.js";
import { jsonSchemaForManagers } from "../json-schemas/rules.js";
import { thatManager } from "../managers/rules.js";
import { editableMember, ownMember, readableMember } from "../members/rules.js";
import {
  currentOwner,
  currentOwnerOfSerial,
  currentOwnerToRelease,
  everOwner,
  ownOwnership,
} from "../ownerships/rules.js";
import { thatAthleteAndManager, thatAthletesPermission } from "../permissions/rules.js";
import { ownRecipe } from "../recipes/rules.js";
import { editableSession, ownSession, readableSession } from "../sessions/rules.js";
import { ownGrant, ownInvitation, ownSquad, readableSquad } from "../squad-roles/rules.js";
import { ownTimeframe, readableTimeframe } from "../timeframes/rules.js";
import { ownAccountDelivery, ownAccountWebhook, ownDelivery, ownWebhook } from "../webhooks/rules.js";
import type { AuthenticatedCaller, Context } from "./context.js";
import { errors } from "./errors.js";
import { ALL_ROLES, type Lookup, type PathIds, type Rule } from "./rule.js";
import { SCOPE_NAMES, SCOPE_OPERATIONS, UNSCOPED_OPERATIONS } from "./scopes.js";

const nothing = async () => undefined;

const anyone: Rule<never, undefined> = { description: "Anyone", roles: null, find: nothing };
const authenticated: Rule<never, undefined> = {
  description: "Any authenticated user",
  roles: ALL_ROLES,
  find: nothing,
};
const managersAndAthletes: Rule<never, undefined> = {
  description: "Managers and athletes",
  roles: ["MANAGER", "ATHLETE"],
  find: nothing,
};
const manager: Rule<never, undefined> = { description: "Managers", roles: ["MANAGER"], find: nothing };

/**
 * States who may call each operation. The keys are the operation ids of the OpenAPI document. An operation without an entry
 * cannot be routed.
 */
export const access = {
  obtainToken: anyone,
  revokeToken: anyone,
  beginDeviceSignIn: anyone,
  authorize: anyone,
  createSession: anyone,
  listSessions: authenticated,
  endSession: authenticated,
  endOtherSession: ownPageSession,
  beginProviderSignIn: anyone,
  retrieveSignInMethods: authenticated,
  linkProvider: authenticated,
  unlinkProvider: authenticated,
  findDeviceSignIn: authenticated,
  decideDeviceSignIn: authenticated,
  listPersonalTokens: authenticated,
  createPersonalToken: authenticated,
  deletePersonalToken: ownPersonalToken,
  listApplications: manager,
  createApplication: manager,
  deleteApplication: ownApplication,
  replaceApplicationSecret: ownApplication,
  retrieveAccount: authenticated,
  requestPasswordReset: anyone,
  resetPassword: anyone,

  createManager: anyone,
  retrieveManagerByExternalId: manager,
  retrieveManager: thatManager,
  updateManager: thatManager,
  changeManagerPassword: thatManager,

  listDevices: manager,
  retrieveDevice: currentOwner,
  setCustomName: currentOwner,

  fetchRawData: everOwner,
  listRawDataRanges: everOwner,
  downloadSamples: everOwner,
  downloadAllSamples: manager,
  downloadSessionSamples: ownSession,
  downloadSquadSamples: ownSquad,
  fetchLatestRawData: currentOwner,
  retrieveLatestTimestamp: currentOwner,
  streamRawData: currentOwner,
  streamAllSamples: manager,
  streamSquadSamples: ownSquad,
  streamSessionSamples: ownSession,
  createLiveTicket: manager,

  convertFile: authenticated,
  convertFileToFormat: authenticated,
  bulkLoad: currentOwner,
  // The headers of the recordings name the devices, so the operation itself checks the right.
  uploadRecordings: manager,
  retrieveJob: ownJob,
  streamRecording: currentOwnerOfSerial,
  retrieveRecordingStream: currentOwnerOfSerial,

  retrieveBluetoothConfiguration: currentOwner,
  configureBluetooth: currentOwner,

  listOwnerships: manager,
  retrieveOwnership: ownOwnership,
  takeOwnership: manager,
  releaseOwnership: currentOwnerToRelease,

  listAthletes: manager,
  createAthlete: anyone,
  createManagedAthlete: managersWhoManage,
  // The query of the request selects the object, so the operation itself checks the right.
  retrieveAthleteByExternalId: managersAndAthletes,
  retrieveAthlete: readersOrThatAthlete,
  updateAthlete: thatAthleteOrManagerWhoManages,
  deleteAthlete: thatAthleteOrManager,
  updateManagedAthlete: athletesManagerWhoManages,
  deleteManagedAthlete: athletesManager,
  changeAthletePassword: thatAthlete,
  exportAthlete: thatAthleteOrManager,
  eraseAthlete: thatAthleteOrManager,

  listPermissions: thatAthlete,
  listManagerPermissions: thatAthleteAndManager,
  createPermissions: thatAthleteAndManager,
  revokePermissions: thatAthleteAndManager,
  revokePermission: thatAthletesPermission,
  findManager: thatAthlete,
  listKnownManagers: thatAthlete,

  listJsonSchemas: manager,
  retrieveJsonSchema: jsonSchemaForManagers,

  listActivities: manager,
  createActivity: manager,
  retrieveActivity: ownActivity,
  updateActivity: ownActivity,
  deleteActivity: ownActivity,
  retrieveActivityComputedData: anyActivity,

  listTimeframes: manager,
  createTimeframe: manager,
  retrieveTimeframe: ownTimeframe,
  updateTimeframe: ownTimeframe,
  updateTimeframePartially: ownTimeframe,
  deleteTimeframe: ownTimeframe,
  retrieveTimeframeComputedData: readableTimeframe,

  listRecipes: manager,
  createRecipe: manager,
  retrieveRecipe: ownRecipe,
  deleteRecipe: ownRecipe,

  listSquads: managersAndAthletes,
  createSquad: manager,
  retrieveSquad: readableSquad,
  updateSquad: ownSquad,
  deleteSquad: ownSquad,
  importRoster: ownSquad,
  listMembers: managersAndAthletes,
  createMember: manager,
  retrieveMember: readableMember,
  updateMember: editableMember,
  deleteMember: ownMember,
  listAssignments: manager,
  createAssignment: manager,
  retrieveAssignment: ownAssignment,
  updateAssignment: ownAssignment,
  deleteAssignment: ownAssignment,
  listSquadSessions: managersAndAthletes,
  listSuggestedSessions: manager,
  createSquadSession: manager,
  retrieveSquadSession: readableSession,
  updateSquadSession: editableSession,
  deleteSquadSession: editableSession,
  retrieveSessionPeriods: readableSession,
  replaceSessionPeriods: editableSession,
  copySessionPeriods: editableSession,
  retrieveSessionFigures: readableSession,
  retrieveSquadSeason: readableSquad,
  listSquadGrants: ownSquad,
  createSquadGrant: ownSquad,
  deleteSquadGrant: ownGrant,
  listInvitations: manager,
  acceptInvitation: ownInvitation,
  deleteInvitation: ownInvitation,

  listChanges: managersAndAthletes,

  // The operation calls other operations as the caller, and these check the rights.
  callMcp: authenticated,

  listWebhooks: ownActivity,
  createWebhook: ownActivity,
  retrieveWebhook: ownWebhook,
  updateWebhook: ownWebhook,
  deleteWebhook: ownWebhook,
  listDeliveries: ownWebhook,
  resendDelivery: ownDelivery,
  testWebhook: ownWebhook,

  listAccountWebhooks: manager,
  createAccountWebhook: manager,
  retrieveAccountWebhook: ownAccountWebhook,
  updateAccountWebhook: ownAccountWebhook,
  deleteAccountWebhook: ownAccountWebhook,
  listAccountDeliveries: ownAccountWebhook,
  resendAccountDelivery: ownAccountDelivery,
  rotateAccountWebhookSecret: ownAccountWebhook,
  testAccountWebhook: ownAccountWebhook,
} satisfies Record<string, Rule<never, unknown>>;

export type OperationId = keyof typeof access;
type RuleOf<Op extends OperationId> = (typeof access)[Op];
export type IdsOf<Op extends OperationId> = Parameters<RuleOf<Op>["find"]>[1];
export type TargetOf<Op extends OperationId> = Awaited<ReturnType<RuleOf<Op>["find"]>>;

const scopes = new Map<OperationId, Scope[]>(UNSCOPED_OPERATIONS.map((id) => [id, []]));
for (const scope of SCOPE_NAMES)
  for (const id of SCOPE_OPERATIONS[scope]) scopes.set(id, [...(scopes.get(id) ?? []), scope]);

/**
 * Returns the scopes of an operation. A personal token needs one of them.
 * @returns empty if every token may call it, undefined if none may
 */
export const scopesOf = (operation: OperationId): readonly Scope[] | undefined => scopes.get(operation);

/**
 * Rejects a caller whose role or personal token may not call the operation.
 * @throws ServiceError `unauthenticated`, `forbidden`, `insufficient_scope`
 */
export function authorizeRole(ctx: Context, operation: OperationId): void {
  const { roles }: Rule<never, unknown> = access[operation];
  if (roles === null) return;
  if (ctx.caller === null) throw errors.unauthenticated(false);
  if (!roles.includes(ctx.caller.role)) throw errors.forbidden();
  requireScope(ctx.caller, operation);
}

function requireScope(caller: AuthenticatedCaller, operation: OperationId): void {
  if (caller.scopes === null) return;
  const needed = scopesOf(operation);
  if (needed === undefined) throw errors.insufficientScope(null);
  const held = caller.scopes;
  if (needed.length > 0 && !needed.some((scope) => held.includes(scope)))
    throw errors.insufficientScope(needed.join(" or "));
}

/**
 * Checks every operation: the caller's role, then the object of the path, then the caller's right on it.
 * @returns the object of the path
 * @throws ServiceError `unauthenticated`, `forbidden`, `not_found`
 */
export async function authorize<Op extends OperationId>(
  ctx: Context,
  operation: Op,
  ids: IdsOf<Op>,
  lookup: Lookup = { queries: ctx.queries, lock: false },
): Promise<TargetOf<Op>> {
  authorizeRole(ctx, operation);
  const rule = access[operation] as unknown as Rule<keyof PathIds, TargetOf<Op>>;
  return rule.find(ctx, ids as PathIds, lookup);
}
