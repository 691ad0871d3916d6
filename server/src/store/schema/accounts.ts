/** Accounts and their credentials. */
import { bigserial, boolean, date, doublePrecision, integer, pgTable, text } from "drizzle-orm/pg-core";
import { bytea, id, instant, reference, version } from "./columns.js";

export type Role = "MANAGER" | "ATHLETE" | "ADMINISTRATOR";

/** Scope of a personal token. */
export type Scope = "samples:read" | "samples:write" | "sessions:read" | "sessions:write";

/** Managers and athletes share one table, because usernames and ids are unique across both. */
export const accounts = pgTable("accounts", {
  id: id(),
  role: text("role").$type<Role>().notNull(),
  username: text("username").notNull(),
  /** Normalised username for comparisons: NFKC, lower case. */
  usernameKey: text("username_key").notNull(),
  email: text("email").notNull(),
  /** Normalised email address for comparisons: NFKC, lower case, without subaddress. */
  emailKey: text("email_key").notNull(),
  /** Whether the user has proved to receive emails at the address, with a link sent to it or through the OpenID provider. */
  emailConfirmed: boolean("email_confirmed").notNull().default(false),
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
  /** Time at which the user entered a password, here or at the OpenID provider (`auth_time`); null if unknown. */
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
  /** Keyed hash of the address that began the sign-in. */
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
  /** Token of the request that began the sign-in. To link an account, it must still be valid; a sign-in replaces it. */
  tokenHash: bytea("token_hash"),
  expiresAt: instant("expires_at").notNull(),
  /** Whether the provider must authenticate the user again, for an action that needs a recent sign-in. */
  mustAuthenticate: boolean("must_authenticate").notNull(),
});
