// Files and tests do not depend on their order. A number shuffles both, the same way each time.
const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) console.log(`shuffled with TEST_SHUFFLE_SEED=${seed}`);

/** The option `sequence` of vitest, for a run and for each of its projects. */
export const ORDER =
  seed === undefined ? {} : { shuffle: { files: true, tests: true }, seed: Number.parseInt(seed, 10) };
