// The number that shuffles the tests also selects the random inputs of property tests, so that a failure can be repeated.
import { configureGlobal } from "fast-check";

const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) configureGlobal({ seed: Number.parseInt(seed, 10) });
