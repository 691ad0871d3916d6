/**
 * Tests the access of every kind of caller to every operation. The expected results are listed here, independently of the
 * service.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { methodsOf } from "../src/http/operation.js";
import { newScene, type Scene } from "./scene.js";
import { service, type TestDevice, type TestService } from "./service.js";

const CALLERS = [
  "nobody",
  "another athlete",
  "that athlete",
  "another manager",
  "the former owner",
  "the owner",
] as const;

/** One result per caller. `in` means that access is granted, so that the response depends only on the request. */
const ANYONE = "      in  in  in  in  in  in";
const AUTHENTICATED = "403 in  in  in  in  in";
const AUTHENTICATED_V2 = "401 in  in  in  in  in";
const PEOPLE = "      403 in  in  in  in  in";
const MANAGERS = "    403 403 403 in  in  in";
/** Version 2 returns 401 if nobody is signed in. */
const MANAGERS_V2 = " 401 403 403 in  in  in";
/** In version 2, objects of other owners are not found. */
const THE_OWNER_V2 = "401 403 403 404 404 in";
/** Athletes read the objects that concern them. */
const PEOPLE_V2 = "   401 in  in  in  in  in";
const READERS_V2 = "  401 404 404 404 404 in";
const THE_OWNER = "   403 403 403 403 403 in";
const READERS = "     403 403 in  403 403 in";
const THAT_ATHLETE = "403 403 in  403 403 403";
/** Objects of other owners are not found. */
const FORBIDDEN_CHARACTERS = "      403 403 403 404 404 in";

/** Ids or a query that a row needs in addition to those of the scene. */
type Besides = (scene: Scene) => { ids?: Record<string, number | string>; query?: string };

const ofManaged: Besides = ({ managedAthlete }) => ({ ids: { athlete: managedAthlete } });
const streamed: Besides = ({ device }) => ({
  ids: { serial: device.serial_number },
  query: "?recording=one",
});
/** Permissions that the athlete has granted to the former owner. */
const toFormer: Besides = ({ formerOwner }) => ({ ids: { manager: formerOwner.id } });

const matrix: readonly (readonly [operation: string, outcomes: string, besides?: Besides])[] = [
  ["obtainToken", ANYONE],
  ["revokeToken", ANYONE],
  ["beginDeviceSignIn", ANYONE],
  ["findDeviceSignIn", AUTHENTICATED_V2],
  ["decideDeviceSignIn", AUTHENTICATED_V2],
  ["authorize", ANYONE],
  ["createSession", ANYONE],
  ["listSessions", AUTHENTICATED],
  ["endSession", AUTHENTICATED],
  ["endOtherSession", "403 404 404 404 404 in"],
  // Without a provider, these operations are refused after the caller has been checked.
  ["beginProviderSignIn", ANYONE],
  ["retrieveSignInMethods", AUTHENTICATED_V2],
  ["linkProvider", AUTHENTICATED_V2],
  ["unlinkProvider", AUTHENTICATED_V2],
  ["listPersonalTokens", AUTHENTICATED_V2],
  ["createPersonalToken", AUTHENTICATED_V2],
  ["deletePersonalToken", "401 404 404 404 404 in"],
  ["listApplications", MANAGERS_V2],
  ["createApplication", MANAGERS_V2],
  ["replaceApplicationSecret", THE_OWNER_V2],
  ["deleteApplication", THE_OWNER_V2],
  ["retrieveAccount", AUTHENTICATED],
  // The tools of this operation call other operations, which have separate rows; see mcp-rights.test.ts.
  ["callMcp", AUTHENTICATED_V2],
  ["requestPasswordReset", ANYONE],
  ["resetPassword", ANYONE],

  ["createManager", ANYONE],
  ["retrieveManagerByExternalId", MANAGERS],
  ["retrieveManager", THE_OWNER],
  ["updateManager", THE_OWNER],
  ["changeManagerPassword", THE_OWNER],

  ["listDevices", MANAGERS],
  ["retrieveDevice", THE_OWNER],
  ["setCustomName", THE_OWNER],
  // Current and former owners of the device. Other tests check which samples they see.
  ["fetchRawData", "403 403 403 403 in in"],
  ["listRawDataRanges", "403 403 403 403 in in"],
  ["downloadSamples", "401 403 403 403 in in"],
  ["downloadAllSamples", MANAGERS_V2],
  ["fetchLatestRawData", THE_OWNER],
  ["retrieveLatestTimestamp", THE_OWNER],
  ["streamRawData", THE_OWNER],
  ["streamAllSamples", MANAGERS_V2],
  ["streamSquadSamples", THE_OWNER_V2],
  ["streamSessionSamples", THE_OWNER_V2],
  ["createLiveTicket", MANAGERS_V2],
  ["convertFile", AUTHENTICATED],
  ["convertFileToFormat", AUTHENTICATED],
  ["bulkLoad", THE_OWNER],
  // Other tests check which devices the recordings may come from.
  ["uploadRecordings", MANAGERS_V2],
  // The response does not reveal to others whether the device exists.
  ["streamRecording", THE_OWNER_V2, streamed],
  ["retrieveRecordingStream", THE_OWNER_V2, streamed],
  ["retrieveJob", "403 404 404 404 404 in"],
  ["retrieveBluetoothConfiguration", THE_OWNER],
  ["configureBluetooth", THE_OWNER],
  ["listOwnerships", MANAGERS],
  ["retrieveOwnership", FORBIDDEN_CHARACTERS],
  ["takeOwnership", MANAGERS],
  ["releaseOwnership", THE_OWNER, () => ({ ids: { device: releasable.id } })],

  ["listAthletes", MANAGERS],
  ["createAthlete", ANYONE],
  // Only the owner may create managed athletes.
  ["createManagedAthlete", THE_OWNER],
  ["retrieveAthleteByExternalId", PEOPLE],
  ["retrieveAthleteByExternalId", READERS, ({ externalId }) => ({ query: `?external-id=${externalId}` })],
  ["retrieveAthlete", READERS],
  ["retrieveAthlete", THE_OWNER, ofManaged],
  ["updateAthlete", THAT_ATHLETE],
  ["updateAthlete", THE_OWNER, ofManaged],
  ["deleteAthlete", THAT_ATHLETE],
  ["deleteAthlete", THE_OWNER, ofManaged],
  ["updateManagedAthlete", "403 403 403 403 403 403"],
  ["updateManagedAthlete", THE_OWNER, ofManaged],
  ["deleteManagedAthlete", "403 403 403 403 403 403"],
  ["deleteManagedAthlete", THE_OWNER, ofManaged],
  ["changeAthletePassword", THAT_ATHLETE],
  ["exportAthlete", THAT_ATHLETE],
  ["exportAthlete", THE_OWNER, ofManaged],
  ["eraseAthlete", THAT_ATHLETE],
  ["eraseAthlete", THE_OWNER, ofManaged],

  ["listPermissions", THAT_ATHLETE],
  ["listManagerPermissions", THAT_ATHLETE, toFormer],
  ["createPermissions", THAT_ATHLETE, toFormer],
  ["revokePermission", THAT_ATHLETE, toFormer],
  ["revokePermissions", THAT_ATHLETE, toFormer],
  ["findManager", THAT_ATHLETE],
  ["listKnownManagers", THAT_ATHLETE],

  ["listJsonSchemas", MANAGERS],
  ["retrieveJsonSchema", MANAGERS],

  ["listActivities", MANAGERS],
  ["createActivity", MANAGERS],
  ["retrieveActivity", THE_OWNER],
  ["updateActivity", THE_OWNER],
  ["deleteActivity", THE_OWNER],
  ["retrieveActivityComputedData", THE_OWNER],

  ["listTimeframes", MANAGERS],
  ["createTimeframe", MANAGERS],
  ["retrieveTimeframe", THE_OWNER],
  ["updateTimeframe", THE_OWNER],
  ["updateTimeframePartially", THE_OWNER],
  ["deleteTimeframe", THE_OWNER],
  ["retrieveTimeframeComputedData", THE_OWNER],

  ["listRecipes", MANAGERS_V2],
  ["createRecipe", MANAGERS_V2],
  ["retrieveRecipe", THE_OWNER_V2],
  ["deleteRecipe", THE_OWNER_V2],

  ["listSquads", PEOPLE_V2],
  ["createSquad", MANAGERS_V2],
  ["retrieveSquad", READERS_V2],
  ["updateSquad", THE_OWNER_V2],
  ["deleteSquad", THE_OWNER_V2],
  ["importRoster", THE_OWNER_V2],

  ["listMembers", PEOPLE_V2],
  ["createMember", MANAGERS_V2],
  ["retrieveMember", READERS_V2],
  ["updateMember", THE_OWNER_V2],
  ["deleteMember", THE_OWNER_V2],

  ["listAssignments", MANAGERS_V2],
  ["createAssignment", MANAGERS_V2],
  ["retrieveAssignment", THE_OWNER_V2],
  ["updateAssignment", THE_OWNER_V2],
  ["deleteAssignment", THE_OWNER_V2],

  ["listSquadSessions", PEOPLE_V2],
  ["listSuggestedSessions", MANAGERS_V2],
  ["createSquadSession", MANAGERS_V2],
  ["retrieveSquadSession", READERS_V2],
  ["updateSquadSession", THE_OWNER_V2],
  ["deleteSquadSession", THE_OWNER_V2],
  ["retrieveSessionPeriods", READERS_V2],
  ["replaceSessionPeriods", THE_OWNER_V2],
  ["copySessionPeriods", THE_OWNER_V2],
  ["retrieveSessionFigures", READERS_V2],
  ["downloadSessionSamples", THE_OWNER_V2],
  ["downloadSquadSamples", THE_OWNER_V2],
  ["retrieveSquadSeason", READERS_V2],

  // Other tests check the roles of guests: squad-roles-matrix.test.ts.
  ["listSquadGrants", THE_OWNER_V2],
  ["createSquadGrant", THE_OWNER_V2],
  ["deleteSquadGrant", THE_OWNER_V2],
  ["listInvitations", MANAGERS_V2],
  ["acceptInvitation", "401 403 403 in  404 404"],
  ["deleteInvitation", "401 403 403 404 404 404", () => ({ ids: { invitation: 999_999_999 } })],

  // Other tests check which changes each caller gets: changes.test.ts.
  ["listChanges", PEOPLE_V2],

  ["listWebhooks", THE_OWNER],
  ["createWebhook", THE_OWNER],
  ["retrieveWebhook", THE_OWNER],
  ["updateWebhook", THE_OWNER],
  ["deleteWebhook", THE_OWNER],
  ["listDeliveries", THE_OWNER],
  ["resendDelivery", THE_OWNER],
  ["testWebhook", THE_OWNER],

  ["listAccountWebhooks", MANAGERS_V2],
  ["createAccountWebhook", MANAGERS_V2],
  ["retrieveAccountWebhook", THE_OWNER_V2],
  ["updateAccountWebhook", THE_OWNER_V2],
  ["deleteAccountWebhook", THE_OWNER_V2],
  ["listAccountDeliveries", THE_OWNER_V2],
  ["resendAccountDelivery", THE_OWNER_V2],
  ["rotateAccountWebhookSecret", THE_OWNER_V2],
  ["testAccountWebhook", THE_OWNER_V2],
];

let s: TestService;
let scene: Scene;
/** A device without samples that a release would remove. */
let releasable: TestDevice;

beforeAll(async () => {
  s = await service();
  scene = await newScene(s);
  releasable = await s.ownedDevice(scene.formerOwner);
  await s.release(releasable, scene.formerOwner);
  await s.take(releasable, scene.owner);
});

const accountOf = (caller: (typeof CALLERS)[number]) =>
  ({
    nobody: undefined,
    "another athlete": scene.anotherAthlete,
    "that athlete": scene.thatAthlete,
    "another manager": scene.anotherManager,
    "the former owner": scene.formerOwner,
    "the owner": scene.owner,
  })[caller];

const outcomeOf = (status: number) => ([401, 403, 404].includes(status) ? String(status) : "in");

describe("authorization matrix", () => {
  it("contains a row for every operation, and an operation for every row", () => {
    expect([...new Set(matrix.map(([id]) => id))].sort()).toEqual(
      s.service.app.operations.map(({ id }) => id).sort(),
    );
  });

  const lines = matrix.map(([id, line, besides]) => ({ id, line, besides }));
  it.each(lines)("$id: $line", async ({ id, line, besides }) => {
    const outcomes = line.trim().split(/ +/);
    expect(outcomes).toHaveLength(CALLERS.length);
    const operation = s.service.app.operations.find((one) => one.id === id);
    if (operation === undefined) throw new Error(`No operation ${id}`);
    const { ids = {}, query = "" } = besides?.(scene) ?? {};
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      String(ids[name] ?? scene.idsFor(operation.path)[name]),
    );
    for (const method of methodsOf(operation)) {
      for (const [index, caller] of CALLERS.entries()) {
        const account = accountOf(caller);
        const { status } = await s.send(method, path + query, {
          token: operation.oauth ? undefined : account?.token,
          // A caller with access gets an error about the body or the version, so nothing changes. A caller without access must not get
          // this error.
          ...(method === "GET" ? {} : { json: [], headers: { "If-Match": '"another version"' } }),
        });
        expect([method, caller, outcomeOf(status)]).toEqual([method, caller, outcomes[index]]);
        // These operations need neither a body nor a version.
        if (id === "endSession" && account !== undefined)
          account.token = await s.logIn(account.username, account.password);
        if (id === "releaseOwnership" && status === 204) await s.take(releasable, scene.owner);
        if (id === "acceptInvitation" && status === 200) await scene.inviteAnotherManager();
        if (id === "deleteApplication" && status === 204) await scene.addApplication();
        if (id === "deleteSquadGrant" && status === 204) await scene.inviteFormerOwner();
        if (id.startsWith("revokePermission") && status === 204) await scene.permitFormerOwner();
      }
    }
  });
});
