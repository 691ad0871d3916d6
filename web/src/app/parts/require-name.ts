import { FormProblem } from "./refusal-words.js";

/**
 * Refuses a form without a name, of somebody who has no username that people know.
 * @param prefix what stands before the names of the fields
 * @throws FormProblem
 */
export function requireName(
  { first_name, last_name }: { first_name: string | null; last_name: string | null },
  prefix = "",
): void {
  if (first_name === null && last_name === null)
    throw new FormProblem({ [`${prefix}first_name`]: "Enter a first or a last name." });
}
