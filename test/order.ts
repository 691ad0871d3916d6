// Files and tests must not depend on their order. A seed determines a random order of both.
const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) console.log(`shuffled with TEST_SHUFFLE_SEED=${seed}`);

/** The option `sequence` of vitest, for a run and for each of its projects. */
export const ORDER =
  seed === undefined ? {} : { shuffle: { files: true, tests: true }, seed: Number.parseInt(seed, 10) };
