import { basename } from "node:path";
import { namesText } from "../../pictures/figure-text.js";
import type { Ratings } from "../../squad/read-ratings.js";
import type { Context } from "../batch/batch.js";
import { type Input, nameOf } from "../batch/inputs.js";
import { printable } from "../terminal/printable.js";
import { UsageError } from "../terminal/usage-error.js";

/** Returns the rating of a recording; undefined if there is none. */
export const ratingOf = (ratings: Ratings, { name }: Pick<Input, "name">): number | undefined =>
  ratings.get(keyOf(name))?.rpe;

const keyOf = (path: string) => basename(path).toLowerCase();

/**
 * Reports ratings that do not belong to a recording.
 *
 * @param path the file with the ratings
 * @throws UsageError if a rating belongs to several recordings
 */
export function checkRatings(
  path: string,
  ratings: Ratings,
  inputs: readonly Input[],
  { console }: Context,
): void {
  const byName = new Map<string, Input[]>();
  for (const input of inputs) {
    const key = keyOf(input.name);
    byName.set(key, [...(byName.get(key) ?? []), input]);
  }
  for (const [key, { file }] of ratings) {
    const same = byName.get(key) ?? [];
    if (same.length < 2) continue;
    throw new UsageError(
      `The rating of ${printable(file)} in ${path} is for ${same.length} recordings of this name: ${namesText(same.map(nameOf))}. Run asi load for the folder of each player with its own file of ratings, or give each recording its own name.`,
    );
  }
  const unknown = [...ratings].filter(([key]) => !byName.has(key)).map(([, { file }]) => printable(file));
  if (unknown.length === 0) return;
  console.message(`${path} has ratings of recordings that are not among the inputs: ${namesText(unknown)}`);
}
