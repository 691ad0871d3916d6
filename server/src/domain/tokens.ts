import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new token, code or client secret: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Tokens, codes and client secrets are random, so a plain hash protects them as well as a slow one. */
export const hashToken = (token: string): Uint8Array => createHash("sha256").update(token).digest();

/** Whether the secret matches the stored hash, in constant time. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash);
