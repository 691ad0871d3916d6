/** Collects warnings of Node.js in the process of the tests, such as too many listeners or a deprecated function. */

const warnings: string[] = [];

process.on("warning", ({ name, message, stack }) => {
  // Warnings about experimental features come from the test runner.
  if (name !== "ExperimentalWarning") warnings.push(stack ?? `${name}: ${message}`);
});

/** Returns the warnings since the last call, with their stacks. */
export const takeProcessWarnings = (): string[] => warnings.splice(0);
