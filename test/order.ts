// The order of files and tests says nothing: each has its own ground. A number shuffles both, the same way each time.
const seed = process.env.TEST_SHUFFLE_SEED;
if (seed !== undefined) console.log(`shuffled with TEST_SHUFFLE_SEED=${seed}`);

/** `sequence` of the settings of vitest, of a run and of each of its projects. */
export const ORDER =
  seed === undefined ? {} : { shuffle: { files: true, tests: true }, seed: Number.parseInt(seed, 10) };
