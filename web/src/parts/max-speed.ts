/** Explanation of the figure, as in docs/metrics.md. */
export const MAX_SPEED_HINT =
  "Max speed is the highest speed after each speed has become the median of itself and its two neighbours. A single row, as in the CSV, can be faster.";
