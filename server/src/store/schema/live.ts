/** Live data and recordings that are being streamed. */
import { bigint, customType, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant, reference } from "./columns.js";

/** Connection that sends live data to a user. A new connection with the same target replaces older ones. */
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
