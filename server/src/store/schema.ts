/**
 * Tables for the query builder. The migrations create them, and a test compares the two. The table of the samples is in
 * `samples/chunk-rows.ts`.
 */
import {
  bigint,
  bigserial,
  boolean,
  customType,
  date,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { readInstant } from "./instant.js";

const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => "bytea" });
const instant = customType<{ data: Date; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: readInstant,
  toDriver: (instant) => instant.toISOString(),
});
const reference = (name: string) => bigint(name, { mode: "number" });
const id = () => bigserial("id", { mode: "number" }).primaryKey();
/** Incremented with every change to the row; part of the entity tag. */
const version = () => integer("version").notNull().default(1);

export type Role = "MANAGER" | "ATHLETE" | "ADMINISTRATOR";

/** Scope of a personal token. */
export type Scope = "samples:read" | "samples:write" | "sessions:read" | "sessions:write";

/** Managers and athletes share one table, because usernames and ids are unique across both. */
export const accounts = pgTable("accounts", {
  id: id(),
  role: text("role").$type<Role>().notNull(),
  username: text("username").notNull(),
  /** Username in the form for comparisons: NFKC, lower case. */
  usernameKey: text("username_key").notNull(),
  email: text("email").notNull(),
  externalId: text("external_id"),
  /** argon2id; null for accounts that cannot log in. */
  passwordHash: text("password_hash"),
  firstName: text("first_name"),
  lastName: text("last_name"),
  profileExternalId: text("profile_external_id"),
  gender: text("gender"),
  weightKg: doublePrecision("weight_kg"),
  heightM: doublePrecision("height_m"),
  birthDate: date("birth_date", { mode: "string" }),
  nationality: text("nationality"),
  profilePicture: text("profile_picture"),
  managedBy: reference("managed_by"),
  isDefaultAthlete: boolean("is_default_athlete").notNull().default(false),
  canCreateManagedAthletes: boolean("can_create_managed_athletes").notNull().default(false),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** OAuth 2.0 clients, called applications in the API and its documentation. */
export const applications = pgTable("applications", {
  id: id(),
  clientId: text("client_id").notNull(),
  secretHash: bytea("secret_hash").notNull(),
  name: text("name").notNull(),
  grants: text("grants").array().notNull(),
  redirectUris: text("redirect_uris").array().notNull(),
  revokedAt: instant("revoked_at"),
  createdAt: instant("created_at").notNull(),
  /** With client credentials: the account for which the application acts, and its rights. */
  accountId: reference("account_id"),
  scopes: text("scopes").array().$type<Scope[]>(),
  /** With client credentials: last use, accurate to an hour; null before the first one. */
  lastUsedAt: instant("last_used_at"),
});

export const accessTokens = pgTable("access_tokens", {
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: bytea("token_hash").primaryKey(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** Refresh token issued with it or used to issue it. */
  refreshHash: bytea("refresh_hash"),
  /** Scopes of a personal token; null for all rights of the account. */
  scopes: text("scopes").array().$type<Scope[]>(),
});

/** Sessions. A session of the page also has a refresh token, which is not sent to anyone. */
export const refreshTokens = pgTable("refresh_tokens", {
  tokenHash: bytea("token_hash").primaryKey(),
  /** Identifies the session for its user and for the operator. */
  id: bigserial("id", { mode: "number" }).notNull(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  createdAt: instant("created_at").notNull(),
  /** Authorization code used to issue it. */
  codeHash: bytea("code_hash"),
  lastUsedAt: instant("last_used_at").notNull(),
  /** Null for sessions of applications, which do not expire. */
  expiresAt: instant("expires_at"),
  /** `User-Agent` of a browser, for sessions of the page. */
  browser: text("browser"),
  /** Name that the user gave to a personal token. */
  name: text("name"),
  /** When the user has entered a password, here or at the OpenID provider (`auth_time`); null if that is not known. */
  authenticatedAt: instant("authenticated_at"),
});

export const authorizationCodes = pgTable("authorization_codes", {
  codeHash: bytea("code_hash").primaryKey(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  codeChallenge: text("code_challenge"),
  expiresAt: instant("expires_at").notNull(),
  /** Authorization codes. A used code is kept until it expires, to detect a second use. */
  usedAt: instant("used_at"),
});

/** Sign-ins on devices without a browser (RFC 8628), until the token is issued. */
export const deviceCodes = pgTable("device_codes", {
  /** SHA-256 of the device code. */
  deviceHash: bytea("device_hash").primaryKey(),
  /** SHA-256 of the code that the user enters. */
  userHash: bytea("user_hash").notNull(),
  applicationId: reference("application_id").notNull(),
  scopes: text("scopes").array().$type<Scope[]>().notNull(),
  /** Keyed hash of the address that began it. */
  address: text("address").notNull(),
  /** Null while the user has not decided. */
  isApproved: boolean("is_approved"),
  /** The account that has decided. */
  accountId: reference("account_id"),
  /** Time between two polls, seconds. */
  intervalS: integer("interval_s").notNull(),
  polledAt: instant("polled_at"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/** Emailed password reset links. */
export const passwordResets = pgTable("password_resets", {
  tokenHash: bytea("token_hash").primaryKey(),
  accountId: reference("account_id").notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/** Users of OpenID providers, each linked to an account. */
export const identities = pgTable("identities", {
  id: id(),
  accountId: reference("account_id").notNull(),
  /** Normalised URL. */
  issuer: text("issuer").notNull(),
  /** Claim `sub`, unique and never reassigned within the issuer. */
  subject: text("subject").notNull(),
  createdAt: instant("created_at").notNull(),
  /** Null before the first sign-in. */
  lastUsedAt: instant("last_used_at"),
});

/** Sign-ins that wait for the OpenID provider. Each works once. */
export const openidSignIns = pgTable("openid_sign_ins", {
  /** SHA-256 of the value of the cookie. */
  flowHash: bytea("flow_hash").primaryKey(),
  /** Account that will be linked; null if the user signs in. */
  accountId: reference("account_id"),
  /** Token of the request that began it. It must still be valid to link an account, and is replaced by a sign-in. */
  tokenHash: bytea("token_hash"),
  expiresAt: instant("expires_at").notNull(),
  /** Whether the provider must authenticate the user again, for an action that needs a recent sign-in. */
  mustAuthenticate: boolean("must_authenticate").notNull(),
});

export const devices = pgTable("devices", {
  id: id(),
  deviceName: text("device_name").notNull(),
  serialNumber: text("serial_number").notNull(),
  deviceType: text("device_type").notNull(),
  firmwareVersion: text("firmware_version"),
  /** Time that the last report of this version refers to. */
  firmwareAt: instant("firmware_at"),
  customName: text("custom_name"),
  activationTime: instant("activation_time"),
  /** A device retired by the operator cannot be taken. */
  retiredAt: instant("retired_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** Owners of devices over time: half-open intervals [start_time, end_time). */
export const ownerships = pgTable("ownerships", {
  id: id(),
  deviceId: reference("device_id").notNull(),
  managerId: reference("manager_id").notNull(),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  version: version(),
});

export interface Pairing {
  mac_address: string;
  name: string | null;
}
export interface Pairings {
  pairing_1?: Pairing;
  pairing_2?: Pairing;
}

export const bluetoothConfigurations = pgTable("bluetooth_configurations", {
  deviceId: reference("device_id").primaryKey(),
  target: jsonb("target").$type<Pairings>().notNull(),
  current: jsonb("current").$type<Pairings>().notNull(),
  /** Ownership during which the device reported `current`; other owners do not see it. */
  reportedIn: reference("reported_in"),
  version: version(),
});

/** Earlier and current targets, until the device reports one of them as received. */
export const bluetoothCommands = pgTable(
  "bluetooth_commands",
  {
    deviceId: reference("device_id").notNull(),
    configurationVersion: integer("configuration_version").notNull(),
    target: jsonb("target").$type<Pairings>().notNull(),
    immediate: boolean("immediate").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.configurationVersion] })],
);

export type JobState = "PENDING" | "STARTED" | "SUCCESS" | "FAILURE" | "RETRY" | "REVOKED";

/**
 * Work that runs after the transaction that requested it: bulk loads, emails, webhook deliveries and computations.
 */
export const jobs = pgTable("jobs", {
  id: id(),
  jobId: text("job_id").notNull(),
  kind: text("kind").notNull(),
  /** Account that may see the job; null for jobs of the service itself. */
  accountId: reference("account_id"),
  /** Account charged for the job, for fairness between accounts; 0 for the service itself. */
  chargedTo: reference("charged_to").notNull().default(0),
  /** Keyed hash of the address that caused the job, for fairness between addresses. Empty for the service itself. */
  chargedGroup: text("charged_group").notNull().default(""),
  state: text("state").$type<JobState>().notNull(),
  payload: jsonb("payload").$type<Record<string, unknown>>().notNull(),
  /** Id of the bytes that belong to the payload, see `jobBodies`. They are erased with it when the job ends. */
  body: text("body"),
  /** Number of these bytes. */
  bodyBytes: integer("body_bytes").notNull().default(0),
  details: jsonb("details").$type<Record<string, unknown>>().notNull(),
  /** At most one job with this key can wait. */
  uniqueKey: text("unique_key"),
  /** Host and port of the receiver that the job calls. The limit per receiver uses them. */
  receiver: text("receiver"),
  /** Number of failures of the job. */
  failures: integer("failures").notNull().default(0),
  /** Number of workers lost during the job. */
  losses: integer("losses").notNull().default(0),
  dueAt: instant("due_at").notNull(),
  /** Time by the clock of the database, because the clocks of the processes may differ. */
  leaseUntil: instant("lease_until"),
  /** Identifies the lease. A worker that has lost its lease cannot complete the job. */
  leaseToken: text("lease_token"),
  createdAt: instant("created_at").notNull(),
  finishedAt: instant("finished_at"),
});

/** Bytes of jobs, in pieces. The bytes are written before their job, and the job makes them visible. */
export const jobBodies = pgTable(
  "job_bodies",
  {
    body: text("body").notNull(),
    /** Index of the piece, from 0. */
    piece: integer("piece").notNull(),
    bytes: bytea("bytes").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.body, table.piece] })],
);

export type PermissionKind = "READ" | "WRITE" | "SHARE";

export const permissions = pgTable("permissions", {
  id: id(),
  athleteId: reference("athlete_id").notNull(),
  managerId: reference("manager_id").notNull(),
  permission: text("permission").$type<PermissionKind>().notNull(),
  startTime: instant("start_time").notNull(),
  expirationTime: instant("expiration_time").notNull(),
});

/** Managers whom an athlete has looked up by number and username. */
export const knownManagers = pgTable(
  "known_managers",
  { athleteId: reference("athlete_id").notNull(), managerId: reference("manager_id").notNull() },
  (table) => [primaryKey({ columns: [table.athleteId, table.managerId] })],
);

export const jsonSchemas = pgTable("json_schemas", {
  id: id(),
  name: text("name").notNull(),
  /** 1 ACTIVITY, 2 TIMEFRAME. */
  type: smallint("type").notNull(),
  parentId: reference("parent_id"),
  schema: jsonb("schema").$type<Record<string, unknown>>().notNull(),
});

export const activities = pgTable("activities", {
  id: id(),
  name: text("name").notNull(),
  json: jsonb("json").$type<Record<string, unknown>>().notNull(),
  jsonSchemaId: reference("json_schema_id").notNull(),
  ownerId: reference("owner_id").notNull(),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

export const timeframes = pgTable("timeframes", {
  id: id(),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  params: jsonb("params").$type<Record<string, unknown>>().notNull(),
  deviceId: reference("device_id").notNull(),
  activityId: reference("activity_id").notNull(),
  athleteId: reference("athlete_id").notNull(),
  ownerId: reference("owner_id").notNull(),
  jsonSchemaId: reference("json_schema_id").notNull(),
  /** Start of the assignment of this time of the device to the athlete by the time frame. */
  assignedAt: instant("assigned_at").notNull(),
  version: version(),
  /** Incremented when any other input of its computed data changes: samples, ownership, age of the athlete. */
  dataVersion: integer("data_version").notNull().default(1),
});

export const computedData = pgTable("computed_data", {
  timeframeId: reference("timeframe_id").primaryKey(),
  /** Versions from which the result was computed. It is stale if the time frame has other versions. */
  timeframeVersion: integer("timeframe_version").notNull(),
  dataVersion: integer("data_version").notNull(),
  /** `RULES_VERSION` of the computation. */
  rulesVersion: integer("rules_version").notNull(),
  /** The JSON text as computed; jsonb would reorder its keys. */
  data: text("data").notNull(),
  computedAt: instant("computed_at").notNull(),
  /** JSON text of the optional figures and of the counts of recipes. */
  further: text("further").notNull(),
  /** One of these figures, m/s. */
  sessionMaxSpeed: doublePrecision("session_max_speed"),
});

/** A version of an account's recipe for counting runs; it never changes. */
export const recipes = pgTable("recipes", {
  id: id(),
  accountId: reference("account_id").notNull(),
  name: text("name").notNull(),
  version: integer("version").notNull(),
  /** SHA-256 of the recipe. */
  hash: text("hash").notNull(),
  /** Canonical JSON (RFC 8785). */
  recipe: text("recipe").notNull(),
  createdAt: instant("created_at").notNull(),
  /** The row of the highest version of a name is kept, because its number must not be reused. */
  deletedAt: instant("deleted_at"),
});

/** The recipes that the params of time frames name, in their order. */
export const timeframeRecipes = pgTable("timeframe_recipes", {
  timeframeId: reference("timeframe_id").notNull(),
  position: smallint("position").notNull(),
  recipeId: reference("recipe_id").notNull(),
});

export const squads = pgTable("squads", {
  id: id(),
  name: text("name").notNull(),
  ownerId: reference("owner_id").notNull(),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** The players of a squad. A change of number, position or thresholds ends one row and begins another. */
export const squadMembers = pgTable("squad_members", {
  id: id(),
  squadId: reference("squad_id").notNull(),
  athleteId: reference("athlete_id").notNull(),
  number: smallint("number"),
  position: text("position"),
  /** Thresholds, by the names of the params of time frames. */
  params: jsonb("params").$type<Record<string, unknown>>().notNull(),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  version: version(),
});

export type GuestRole = "coach" | "analyst" | "physician";

/** Roles in a squad that its owner has granted. An open invitation to an unknown username has no guest. */
export const squadGrants = pgTable("squad_grants", {
  id: id(),
  squadId: reference("squad_id").notNull(),
  guestId: reference("guest_id"),
  /** As entered by the owner. */
  username: text("username").notNull(),
  role: text("role").$type<GuestRole>().notNull(),
  createdAt: instant("created_at").notNull(),
  acceptedAt: instant("accepted_at"),
  version: version(),
  /** Whether a group of the OpenID provider has given the role, instead of the owner. */
  byProvider: boolean("by_provider").notNull().default(false),
});

/** Which athlete wears which device. */
export const assignments = pgTable("assignments", {
  id: id(),
  ownerId: reference("owner_id").notNull(),
  deviceId: reference("device_id").notNull(),
  athleteId: reference("athlete_id").notNull(),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  version: version(),
});

/** A training or match of a squad. The name, the owner and the sport are those of the activity. */
export const sessions = pgTable("sessions", {
  activityId: reference("activity_id").primaryKey(),
  squadId: reference("squad_id").notNull(),
  kind: text("kind").$type<"match" | "training" | "other">().notNull(),
  place: text("place"),
  notes: text("notes"),
  startTime: instant("start_time").notNull(),
  endTime: instant("end_time").notNull(),
  version: version(),
});

/**
 * Rows like those of periods.csv. A row with an athlete is the time of this player in the period. Without times, the
 * player does not take part.
 */
export const sessionPeriods = pgTable("session_periods", {
  id: id(),
  sessionId: reference("session_id").notNull(),
  position: smallint("position").notNull(),
  name: text("name").notNull(),
  athleteId: reference("athlete_id"),
  startTime: instant("start_time"),
  endTime: instant("end_time"),
});

/** The time frames that are derived from a session. The period is empty for the whole session. */
export const sessionTimeframes = pgTable("session_timeframes", {
  timeframeId: reference("timeframe_id").primaryKey(),
  sessionId: reference("session_id").notNull(),
  period: text("period").notNull(),
});

/** The figures of a player in a period, or in the whole session if the period is empty. */
export const sessionFigures = pgTable(
  "session_figures",
  {
    sessionId: reference("session_id").notNull(),
    athleteId: reference("athlete_id").notNull(),
    period: text("period").notNull(),
    /** The time frames and their versions from which the figures were computed. */
    inputs: text("inputs").notNull(),
    /** JSON text by the keys of `SQUAD_COLUMNS`. A season reads it without the details. */
    figures: text("figures").notNull(),
    /** Null if there are no data. */
    recordedMs: doublePrecision("recorded_ms"),
    /** JSON text of the seconds with data; empty for a period. */
    seconds: text("seconds").notNull(),
    /** The other `PlayerFigures`, as JSON text. */
    details: text("details").notNull(),
    computedAt: instant("computed_at").notNull(),
    rulesVersion: integer("rules_version").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.athleteId, table.period] })],
);

/** Players whose figures a job could not compute from these inputs. */
export const failedFigures = pgTable(
  "failed_figures",
  {
    sessionId: reference("session_id").notNull(),
    athleteId: reference("athlete_id").notNull(),
    inputs: text("inputs").notNull(),
    failedAt: instant("failed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.athleteId] })],
);

/** The job that computes the figures of a session, or did so last. */
export const figuresClaims = pgTable("figures_claims", {
  sessionId: reference("session_id").primaryKey(),
  jobId: reference("job_id").notNull(),
});

/** Changes to inputs of many results, until a job has marked their time frames. */
export const recomputations = pgTable("recomputations", {
  id: id(),
  athleteId: reference("athlete_id"),
  activityId: reference("activity_id"),
  deviceId: reference("device_id"),
  ownerId: reference("owner_id"),
  times: customType<{ data: string }>({ dataType: () => "tstzmultirange" })("times"),
  forgets: boolean("forgets").notNull(),
  /** Time frames with ids up to this one are marked. */
  doneThrough: reference("done_through").notNull(),
  version: integer("version").notNull().default(1),
});

/** Closed intervals, disjoint per device, whose samples retention has removed. */
export const removedSamples = pgTable(
  "removed_samples",
  {
    deviceId: reference("device_id").notNull(),
    /** ms since 1970 UTC. */
    startMs: reference("start_ms").notNull(),
    stopMs: reference("stop_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.startMs] })],
);

export const webhooks = pgTable("webhooks", {
  id: id(),
  /** Activity of a version 1 webhook; null for an account webhook. */
  activityId: reference("activity_id"),
  /** Owner of an account webhook, and the types of events that it receives. */
  ownerId: reference("owner_id"),
  events: text("events").array().$type<AccountEvent[]>(),
  webhookUrl: text("webhook_url").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  activityEvents: boolean("activity_events").notNull(),
  timeframesEvents: boolean("timeframes_events").notNull(),
  /** Number of consecutive exhausted deliveries. */
  failures: integer("failures").notNull().default(0),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** Replaced secrets of webhooks of accounts, which still sign calls until they expire. */
export const previousWebhookSecrets = pgTable("previous_webhook_secrets", {
  id: id(),
  webhookId: reference("webhook_id").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/** Events that a webhook of an account can receive. */
export type AccountEvent = "samples.stored" | "job.finished" | "session.changed" | "session.computed";

export type DeliveryState = "pending" | "retrying" | "delivered" | "failed";

/** Subject of a delivery to a webhook of an activity: the activity or one of its time frames. */
export interface ActivityData {
  activity_id: number;
  timeframe_id?: number;
}

/** Subject of a delivery to a webhook of an account. */
export type AccountData = Readonly<Record<string, string | number | null>>;

export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: id(),
  /** Header `webhook-id`, identical in all attempts. */
  messageId: text("message_id").notNull(),
  webhookId: reference("webhook_id").notNull(),
  url: text("url").notNull(),
  /** Encrypted with the server key. */
  secretToken: text("secret_token").notNull(),
  event: text("event").notNull(),
  data: jsonb("data").$type<ActivityData | AccountData>().notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  attempts: integer("attempts").notNull().default(0),
  responseStatus: integer("response_status"),
  /** First KiB of the response, or the error. */
  response: text("response"),
  /** Number of events that were not sent because too many calls waited; null for a delivery that is sent. */
  unsent: integer("unsent"),
  /** Current or last job of the delivery. */
  jobId: reference("job_id"),
  createdAt: instant("created_at").notNull(),
  lastAttemptAt: instant("last_attempt_at"),
});

/** Log of changes. Rows outlive the objects that they describe, so there are no foreign keys. */
export const auditLog = pgTable("audit_log", {
  id: id(),
  at: instant("at").notNull(),
  /** Null for the operator, for a registration and for the service itself. */
  accountId: reference("account_id"),
  operation: text("operation").notNull(),
  entity: text("entity").notNull(),
  entityId: reference("entity_id").notNull(),
  before: jsonb("before").$type<Record<string, unknown>>(),
  after: jsonb("after").$type<Record<string, unknown>>(),
  requestId: text("request_id").notNull(),
  /** User of the operating system who ran the command; null for other changes. */
  operator: text("operator"),
});

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: reference("account_id").notNull(),
    path: text("path").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of the method, the path with its query, and the body. */
    fingerprint: bytea("fingerprint").notNull(),
    /** Response as sent. */
    status: smallint("status"),
    headers: jsonb("headers").$type<Record<string, string>>(),
    body: bytea("body"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.path, table.key] })],
);

/** Subject of a change: samples of a device, or an object. */
export type ChangeKind = "samples" | "session" | "figures" | "squad" | "athlete";

/** Id of a transaction, as text, because JavaScript numbers have fewer bits. */
const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/** Objects that an account must read again; see `domain/change-log/`. Rows outlive accounts and objects. */
export const changes = pgTable(
  "changes",
  {
    accountId: reference("account_id").notNull(),
    kind: text("kind").$type<ChangeKind>().notNull(),
    objectId: reference("object_id").notNull(),
    /** Days since 1970 of samples; otherwise 0. */
    day: integer("day").notNull().default(0),
    /** Changed times of the day, ms since 1970 UTC; the end is exclusive. */
    fromMs: reference("from_ms"),
    toMs: reference("to_ms"),
    /** Transaction of the last change. */
    xid: transactionId("xid").notNull(),
    seq: bigserial("seq", { mode: "number" }).notNull(),
    changedAt: instant("changed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.kind, table.objectId, table.day] })],
);

/** Parts of the history of the database in which cursors of changes are valid. */
export const changeEpochs = pgTable("change_epochs", {
  id: uuid("id").primaryKey(),
  /** Identifies the database and its history. */
  history: text("history").notNull(),
  /** Changes up to this transaction may have been removed. */
  prunedThrough: transactionId("pruned_through").notNull(),
  begunAt: instant("begun_at").notNull(),
});

/** Connection that receives live data for a user; the newest one to the same target replaces others. */
export const liveConnections = pgTable(
  "live_connections",
  {
    accountId: reference("account_id").notNull(),
    /** Target that the connection follows: `device 1`, `squad 1`, `session 1` or `devices`. */
    target: text("target").notNull(),
    connection: uuid("connection").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.target] })],
);

/** A ticket opens one live connection in place of a token, for clients that cannot send headers. */
export const liveTickets = pgTable("live_tickets", {
  /** SHA-256; the ticket itself is never stored. */
  ticketHash: bytea("ticket_hash").primaryKey(),
  /** Token that created it and authenticates the connection. */
  tokenHash: bytea("token_hash").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

/**
 * The recording that a device streams or streamed last. Its bytes are kept until it ends, because a decoder that continues
 * after a break needs the earlier bytes.
 */
export const recordingStreams = pgTable("recording_streams", {
  deviceId: reference("device_id").primaryKey(),
  managerId: reference("manager_id").notNull(),
  /** Name of the recording, chosen by the gateway. */
  recording: text("recording").notNull(),
  /** Request that may add bytes; the newest one replaces others. */
  connection: uuid("connection").notNull(),
  /** Number of bytes of the recording whose samples are stored. */
  bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
  /** Latest time of a stored sample, ms since 1970 UTC. */
  storedUntilMs: bigint("stored_until_ms", { mode: "number" }),
  /** Times of samples whose effects on computed data are pending, ms since 1970 UTC; null if there are none. */
  changed: customType<{ data: string }>({ dataType: () => "int8multirange" })("changed"),
  endedAt: instant("ended_at"),
  updatedAt: instant("updated_at").notNull(),
});

/** The bytes of an unfinished recording. */
export const streamPieces = pgTable(
  "stream_pieces",
  {
    deviceId: reference("device_id").notNull(),
    firstByte: bigint("first_byte", { mode: "number" }).notNull(),
    bytes: bytea("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.firstByte] })],
);

/** Kind of erasure: an account deleted with its data, or every trace of the person erased. */
export type ErasureKind = "deleted" | "erased" | "erased with samples";

/** Erased accounts; see `store/backup/erasure-list.ts`. */
export const erasures = pgTable("erasures", {
  id: id(),
  /** Hash of the account, without personal data. */
  person: text("person").notNull(),
  at: instant("at").notNull(),
  kind: text("kind").$type<ErasureKind>().notNull(),
});

/** Keys of secrets, encrypted with the server keys; see `domain/secrets/`. */
export const encryptionKeys = pgTable(
  "encryption_keys",
  {
    keyId: reference("key_id").notNull(),
    serverKeyId: text("server_key_id").notNull(),
    encryptedKey: text("encrypted_key").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.serverKeyId] })],
);
