/** Collects the warnings of Node.js in the process of the tests, such as too many listeners or a deprecated function. */

const warnings: string[] = [];

process.on("warning", ({ name, message, stack }) => {
  // Experimental features are the test runner's.
  if (name !== "ExperimentalWarning") warnings.push(stack ?? `${name}: ${message}`);
});

/** The warnings since the last call, with their stacks. */
export const takeProcessWarnings = (): string[] => warnings.splice(0);
