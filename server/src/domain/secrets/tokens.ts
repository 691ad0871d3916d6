import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Generates a token, code or client secret of 256 random bits. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Hashes a token, code or client secret. These are random, so a fast hash is as secure as a slow one. */
export const hashToken = (token: string): Uint8Array => createHash("sha256").update(token).digest();

/**
 * Hashes the token of a session of the page. Its hash differs from the hash of other tokens, so a bearer token is invalid in a
 * cookie, and a cookie is invalid as a bearer token.
 */
export const hashSessionToken = (token: string): Uint8Array => hashToken(`session ${token}`);

/** Hashes the token of a password reset link. Differs from the hash of other tokens. */
export const hashResetToken = (token: string): Uint8Array => hashToken(`password reset ${token}`);

/** Hashes a ticket for live data. Differs from the hash of other tokens. */
export const hashTicket = (ticket: string): Uint8Array => hashToken(`live ticket ${ticket}`);

/** Whether the secret matches the stored hash, in constant time. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash);
