import type { Resource } from "asi-client";
import type { Values } from "../parts/form.js";
import { FormProblem } from "../parts/refusal-words.js";

type Scope = Resource["PersonalToken"]["scopes"][number];

/** What a program may do, in words. */
export const SCOPES: readonly (readonly [Scope, string])[] = [
  ["samples:read", "Read devices and samples, as asi pull does"],
  ["samples:write", "Upload and stream recordings"],
  ["sessions:read", "Read athletes, squads, sessions and their figures"],
  ["sessions:write", "Change squads, sessions and activities"],
];

/** Returns the selected scopes of a form. @throws FormProblem if none is selected */
export function chosenScopes(values: Values): Scope[] {
  const scopes = SCOPES.map(([scope]) => scope).filter((scope) => values(scope) !== "");
  if (scopes.length === 0) throw new FormProblem({ "": "Choose what the program may do." });
  return scopes;
}
