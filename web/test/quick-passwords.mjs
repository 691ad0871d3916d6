/** Preloaded into the service of the tests: argon2 with the least work that it accepts. Its own strength is a test of the service. */
import { createRequire } from "node:module";

const argon2 = createRequire(new URL("../../server/package.json", import.meta.url))("@node-rs/argon2");
const { hash } = argon2;
argon2.hash = (password) => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
