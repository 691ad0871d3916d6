import { nameKey } from "./roster.js";

/** A person who needs a name that no other has. */
export interface NamedPerson {
  name: string;
  /** What is added to a name that several persons have, such as an id or a serial number. */
  mark: string;
  /** Whether the mark is added in any case. Default false. */
  isMarked?: boolean;
}

/**
 * Gives each person a name that no other has, because files have names instead of ids. A name that several persons have is
 * followed by the mark: `Kunz (12)` and `Kunz (13)`. No marked name is the original name of another person.
 *
 * @param taken names of others, which the result does not contain
 * @returns in the order of the persons; their `nameKey`s are distinct and not empty
 */
export function distinctNames(people: readonly NamedPerson[], taken: readonly string[] = []): string[] {
  const others = new Set(taken.map(nameKey));
  const uses = new Map<string, number>();
  for (const { name } of people) uses.set(nameKey(name), (uses.get(nameKey(name)) ?? 0) + 1);
  const used = new Set([...others, ...uses.keys()]);
  return people.map(({ name, mark, isMarked = false }) => {
    const key = nameKey(name);
    if (!isMarked && key !== "" && uses.get(key) === 1 && !others.has(key)) return name;
    for (let number = 1; ; number++) {
      const marked = `${name} (${number === 1 ? mark : `${mark} ${number}`})`;
      if (used.has(nameKey(marked))) continue;
      used.add(nameKey(marked));
      return marked;
    }
  });
}

/** The key of a name without its marks: `Kunz (12)` gives `kunz`. */
const unmarked = (name: string): string => {
  const key = nameKey(name);
  const shorter = key.replace(/ ?\([^()]*\)$/, "");
  return shorter === key || shorter === "" ? key : unmarked(shorter);
};

/** The names that differ from a text only in their marks, for messages about a text that is the name of no person. */
export const sameButMarks = (text: string, names: readonly string[]): string[] =>
  names.filter((name) => unmarked(name) === unmarked(text));
