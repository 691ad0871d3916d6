// The seed of the test order also selects the random inputs of property tests, so a failure can be repeated.
import { configureGlobal } from "fast-check";

const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) configureGlobal({ seed: Number.parseInt(seed, 10) });
