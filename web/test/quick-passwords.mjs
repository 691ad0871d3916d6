/** Preloaded into the service for tests. Uses argon2 with minimum cost. A test of the service checks the real cost. */
import { createRequire } from "node:module";

const argon2 = createRequire(new URL("../../server/package.json", import.meta.url))("@node-rs/argon2");
const { hash } = argon2;
argon2.hash = (password) => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
