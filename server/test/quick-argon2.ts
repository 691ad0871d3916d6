/** Replaces argon2 with minimum cost, for tests that are not about passwords. */
import { createRequire } from "node:module";
import type * as argon2Type from "@node-rs/argon2";

const argon2: typeof argon2Type = createRequire(import.meta.url)("@node-rs/argon2");

const LEAST_WORK: argon2Type.Options = { memoryCost: 8, timeCost: 1, parallelism: 1 };

let hashed = 0;

/** Returns the number of passwords hashed or verified in this process. */
export const hashCount = (): number => hashed;

export function hash(password: string): Promise<string> {
  hashed += 1;
  return argon2.hash(password, LEAST_WORK);
}

export function verify(hash: string, password: string): Promise<boolean> {
  hashed += 1;
  return argon2.verify(hash, password);
}
