import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new token, code or client secret: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Tokens, codes and client secrets are random, so a plain hash protects them as well as a slow one. */
export const hashToken = (token: string): Uint8Array => createHash("sha256").update(token).digest();

/**
 * Hashes the token of a session of the page. The hash differs from that of any other token, so a bearer token in a cookie
 * counts for nothing, and neither does a cookie as a bearer token.
 */
export const hashSessionToken = (token: string): Uint8Array => hashToken(`session ${token}`);

/** Hashes the token of a link for a new password. The hash differs from that of any other token. */
export const hashResetToken = (token: string): Uint8Array => hashToken(`password reset ${token}`);

/** Whether the secret matches the stored hash, in constant time. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash);
