/** Results per page of most lists. docs/limits.md repeats these numbers; a test compares them. */
export const PAGE_LIMITS = { default: 150, max: 3000 };

/** Results per page of lists with cursors. */
export const CURSOR_LIMITS = { default: 100, max: 1000 };

/** Samples per page of raw data. */
export const SAMPLE_LIMITS = { default: 10_000, max: 25_000 };

/** Number of latest samples. The default is one second at 10 Hz. */
export const LATEST_LIMITS = { default: 10, max: 300 };
