/** Squads, their sessions and the figures of sessions. */
import {
  boolean,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { id, instant, reference, version } from "./columns.js";

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
  /** Username as the owner has entered it. */
  username: text("username").notNull(),
  role: text("role").$type<GuestRole>().notNull(),
  createdAt: instant("created_at").notNull(),
  acceptedAt: instant("accepted_at"),
  version: version(),
  /** Whether the role comes from a group of the OpenID provider. Otherwise, the owner has granted it. */
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

/** Sessions whose last derivation a limit has prevented. */
export const refusedDerivations = pgTable("refused_derivations", {
  sessionId: reference("session_id").primaryKey(),
  /** Ids of the players whose time frames are incomplete. */
  athletes: reference("athletes").array().notNull(),
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
    /** Length of the period for the player. */
    periodMs: doublePrecision("period_ms").notNull(),
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
