import type { Scope } from "../../store/schema.js";

/** What a personal token may do (RFC 6749 section 3.3), with a description for its user. */
export const SCOPES: Readonly<Record<Scope, string>> = {
  "samples:read":
    "Read devices, ownerships and samples, including those of sessions with the names of players",
  "samples:write": "Upload and stream recordings",
  "sessions:read": "Read athletes, squads, sessions, activities, time frames and their figures",
  "sessions:write": "Change squads, sessions, activities and time frames",
};

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/**
 * The operations of each scope; a token needs one of the scopes of an operation. Personal tokens cannot call other operations,
 * such as those on passwords, tokens, permissions and erasures.
 */
export const SCOPE_OPERATIONS = {
  "samples:read": [
    "listChanges",
    "listDevices",
    "retrieveDevice",
    "fetchRawData",
    "listRawDataRanges",
    "downloadSamples",
    "downloadAllSamples",
    "downloadSessionSamples",
    "downloadSquadSamples",
    "fetchLatestRawData",
    "retrieveLatestTimestamp",
    "streamRawData",
    "streamAllSamples",
    "streamSquadSamples",
    "streamSessionSamples",
    "createLiveTicket",
    "listOwnerships",
    "retrieveOwnership",
  ],
  "samples:write": [
    "bulkLoad",
    "uploadRecordings",
    "retrieveJob",
    "streamRecording",
    "retrieveRecordingStream",
    "createLiveTicket",
  ],
  "sessions:read": [
    "listAthletes",
    "retrieveAthleteByExternalId",
    "retrieveAthlete",
    "listJsonSchemas",
    "retrieveJsonSchema",
    "listActivities",
    "retrieveActivity",
    "retrieveActivityComputedData",
    "listTimeframes",
    "retrieveTimeframe",
    "retrieveTimeframeComputedData",
    "listRecipes",
    "retrieveRecipe",
    "listSquads",
    "retrieveSquad",
    "listMembers",
    "retrieveMember",
    "listAssignments",
    "retrieveAssignment",
    "listSquadSessions",
    "listSuggestedSessions",
    "retrieveSquadSession",
    "retrieveSessionPeriods",
    "retrieveSessionFigures",
    "retrieveSquadSeason",
    "listChanges",
  ],
  "sessions:write": [
    "createActivity",
    "updateActivity",
    "deleteActivity",
    "createTimeframe",
    "updateTimeframe",
    "updateTimeframePartially",
    "deleteTimeframe",
    "createRecipe",
    "deleteRecipe",
    "createSquad",
    "updateSquad",
    "deleteSquad",
    "importRoster",
    "createMember",
    "updateMember",
    "deleteMember",
    "createAssignment",
    "updateAssignment",
    "deleteAssignment",
    "createSquadSession",
    "updateSquadSession",
    "deleteSquadSession",
    "replaceSessionPeriods",
    "copySessionPeriods",
  ],
} as const;

/**
 * Operations that every personal token may call: reading its own account; conversions, which store nothing; and `/mcp`, whose
 * tools call operations that check the scope.
 */
export const UNSCOPED_OPERATIONS = [
  "retrieveAccount",
  "convertFile",
  "convertFileToFormat",
  "callMcp",
] as const;
