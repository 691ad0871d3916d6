/** Permissions of athletes, activities, time frames and their computed data. */
import {
  boolean,
  customType,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { id, instant, reference, version } from "./columns.js";

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
  /** Type of the schema: 1 for ACTIVITY, 2 for TIMEFRAME. */
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
  /** Time at which the athlete, the device and the times were last set. */
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
  /** JSON text of the points of the acceleration-speed profile. */
  profilePoints: text("profile_points"),
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

/** Changes to inputs of many results, until a job has marked their time frames. */
export const recomputations = pgTable("recomputations", {
  id: id(),
  athleteId: reference("athlete_id"),
  activityId: reference("activity_id"),
  deviceId: reference("device_id"),
  ownerId: reference("owner_id"),
  times: customType<{ data: string }>({ dataType: () => "tstzmultirange" })("times"),
  forgets: boolean("forgets").notNull(),
  /** The time frames up to this start and id are marked; without a device, those with ids up to this one. */
  doneStart: instant("done_start"),
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
