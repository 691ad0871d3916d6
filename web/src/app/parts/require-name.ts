import { FormProblem } from "./refusal-words.js";

/**
 * Refuses a form without a name for a person whose username is made up.
 * @param prefix precedes the names of the fields
 * @throws FormProblem
 */
export function requireName(
  { first_name, last_name }: { first_name: string | null; last_name: string | null },
  prefix = "",
): void {
  if (first_name === null && last_name === null)
    throw new FormProblem({ [`${prefix}first_name`]: "Enter a first or a last name." });
}
