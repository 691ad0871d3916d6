// The number that shuffles the tests also selects the random inputs of property tests, so that a failure comes again.
const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number.parseInt(seed, 10) });
}
