/**
 * The tables as the queries see them. The migrations create them; a test compares the two.
 * Sample chunks have their own file, `samples/`.
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
/** Raised by one with every change of the row; part of the entity tag. */
const version = () => integer("version").notNull().default(1);

export type Role = "MANAGER" | "ATHLETE" | "ADMINISTRATOR";

/** Managers and athletes share one table, so that usernames are unique over both and no id means two people. */
export const accounts = pgTable("accounts", {
  id: id(),
  role: text("role").$type<Role>().notNull(),
  username: text("username").notNull(),
  /** The username as compared: NFKC, lower case. */
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

/** OAuth 2.0 clients; "application" is the specification's word. */
export const applications = pgTable("applications", {
  id: id(),
  clientId: text("client_id").notNull(),
  secretHash: bytea("secret_hash").notNull(),
  name: text("name").notNull(),
  grants: text("grants").array().notNull(),
  redirectUris: text("redirect_uris").array().notNull(),
  revokedAt: instant("revoked_at"),
  createdAt: instant("created_at").notNull(),
});

export const accessTokens = pgTable("access_tokens", {
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: bytea("token_hash").primaryKey(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** The refresh token with which, or for which, it was given. */
  refreshHash: bytea("refresh_hash"),
});

export const refreshTokens = pgTable("refresh_tokens", {
  tokenHash: bytea("token_hash").primaryKey(),
  /** Names the session to the operator. */
  id: bigserial("id", { mode: "number" }).notNull(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  createdAt: instant("created_at").notNull(),
  /** The authorization code for which it was given. */
  codeHash: bytea("code_hash"),
  lastUsedAt: instant("last_used_at").notNull(),
});

export const authorizationCodes = pgTable("authorization_codes", {
  codeHash: bytea("code_hash").primaryKey(),
  accountId: reference("account_id").notNull(),
  applicationId: reference("application_id").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  codeChallenge: text("code_challenge"),
  expiresAt: instant("expires_at").notNull(),
  /** A used one stays until it expires, so that a second use is known as one. */
  usedAt: instant("used_at"),
});

export const devices = pgTable("devices", {
  id: id(),
  deviceName: text("device_name").notNull(),
  serialNumber: text("serial_number").notNull(),
  deviceType: text("device_type").notNull(),
  firmwareVersion: text("firmware_version"),
  /** When the device was last known to have that version. */
  firmwareAt: instant("firmware_at"),
  customName: text("custom_name"),
  activationTime: instant("activation_time"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

/** Who owned a device when: the half-open interval [start_time, end_time). */
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
  /** The ownership in which the device reported `current`; another owner does not see it. */
  reportedIn: reference("reported_in"),
  version: version(),
});

/** Targets as they were when changed, until the device reports one of them as received. */
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

/** Work to do after the transaction that asked for it: bulk loads, mails, webhook deliveries, computations. */
export const jobs = pgTable("jobs", {
  id: id(),
  jobId: text("job_id").notNull(),
  kind: text("kind").notNull(),
  /** Who may see the job; null for the service's own. */
  accountId: reference("account_id"),
  /** Whose share of the work it is: accounts take turns. 0 when no account asked for it. */
  chargedTo: reference("charged_to").notNull().default(0),
  state: text("state").$type<JobState>().notNull(),
  payload: jsonb("payload").$type<Record<string, unknown>>().notNull(),
  /** Bytes that belong to the payload; erased when the job is terminal. */
  body: bytea("body"),
  details: jsonb("details").$type<Record<string, unknown>>().notNull(),
  /** At most one job with this key waits. */
  uniqueKey: text("unique_key"),
  /** Host and port that the work calls, when it calls one: no receiver takes all places of a process. */
  receiver: text("receiver"),
  /** How often the work itself has failed. */
  failures: integer("failures").notNull().default(0),
  /** How often a worker died over it. */
  losses: integer("losses").notNull().default(0),
  dueAt: instant("due_at").notNull(),
  /** By the database's clock: those of the processes may differ. */
  leaseUntil: instant("lease_until"),
  /** Tells this lease from every other, so that a worker that lost it cannot finish the job. */
  leaseToken: text("lease_token"),
  /** Number of the worker that has the job, when it shows by a lock that it lives; see `worker-session.ts`. */
  worker: integer("worker"),
  createdAt: instant("created_at").notNull(),
  finishedAt: instant("finished_at"),
});

export type PermissionKind = "READ" | "WRITE" | "SHARE";

export const permissions = pgTable("permissions", {
  id: id(),
  athleteId: reference("athlete_id").notNull(),
  managerId: reference("manager_id").notNull(),
  permission: text("permission").$type<PermissionKind>().notNull(),
  startTime: instant("start_time").notNull(),
  expirationTime: instant("expiration_time").notNull(),
});

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
  createdAt: instant("created_at").notNull(),
  version: version(),
  /** Incremented when any other input of its computed data changes: samples, ownership, the age of the athlete. */
  dataVersion: integer("data_version").notNull().default(1),
});

export const computedData = pgTable("computed_data", {
  timeframeId: reference("timeframe_id").primaryKey(),
  /** The versions from which the result was computed; it is stale when the time frame has others. */
  timeframeVersion: integer("timeframe_version").notNull(),
  dataVersion: integer("data_version").notNull(),
  /** Version of the rules of the computation. */
  definitionVersion: integer("definition_version").notNull(),
  /** The JSON text as computed; jsonb would reorder its keys. */
  data: text("data").notNull(),
  computedAt: instant("computed_at").notNull(),
});

/** Closed intervals, disjoint for each device, whose samples retention has removed. */
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
  activityId: reference("activity_id").notNull(),
  webhookUrl: text("webhook_url").notNull(),
  /** Sealed with the server's key. */
  secretToken: text("secret_token").notNull(),
  activityEvents: boolean("activity_events").notNull(),
  timeframesEvents: boolean("timeframes_events").notNull(),
  /** Deliveries exhausted one after the other. */
  failures: integer("failures").notNull().default(0),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull(),
  version: version(),
});

export type DeliveryState = "pending" | "retrying" | "delivered" | "failed";

/** The subject of a delivery: an activity, or one of its time frames. */
export interface DeliveryData {
  activity_id: number;
  timeframe_id?: number;
}

/** One event for one webhook, with the URL and the secret of the moment, so that it outlives the webhook. */
export const webhookDeliveries = pgTable("webhook_deliveries", {
  id: id(),
  /** Header `webhook-id`, the same over all attempts. */
  messageId: text("message_id").notNull(),
  webhookId: reference("webhook_id").notNull(),
  url: text("url").notNull(),
  /** Sealed with the server's key. */
  secretToken: text("secret_token").notNull(),
  event: text("event").notNull(),
  data: jsonb("data").$type<DeliveryData>().notNull(),
  state: text("state").$type<DeliveryState>().notNull(),
  attempts: integer("attempts").notNull().default(0),
  responseStatus: integer("response_status"),
  /** First KiB of the answer, or the error. */
  response: text("response"),
  /** The job that carries it now, or carried it last. */
  jobId: reference("job_id"),
  createdAt: instant("created_at").notNull(),
  lastAttemptAt: instant("last_attempt_at"),
});

/** Who changed what. Rows outlive the objects they describe, so there are no foreign keys. */
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
});

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: reference("account_id").notNull(),
    path: text("path").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of the method, the path with its query, and the body. */
    fingerprint: bytea("fingerprint").notNull(),
    /** The answer as it was sent. */
    status: smallint("status"),
    headers: jsonb("headers").$type<Record<string, string>>(),
    body: bytea("body"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.path, table.key] })],
);
