/**
 * The computation threads of the tests run a bundle, because compiling the sources in each thread would take most of their time.
 */
import { inject } from "vitest";

export const threadProgram = { filename: inject("computationThread") };
