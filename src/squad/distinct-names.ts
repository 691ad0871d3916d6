import { nameKey } from "./roster.js";

/** A person who needs a unique name. */
export interface NamedPerson {
  name: string;
  /** The suffix for a name that several people have, such as an id or a serial number. */
  mark: string;
  /** Whether the mark is always added. Default: false. */
  isMarked?: boolean;
}

/**
 * Gives each person a unique name, because files have names instead of ids. A name that several people have is followed by the mark: `Kunz
 * (12)` and `Kunz (13)`. No marked name is the original name of another person.
 *
 * @param taken names that are already in use, which the result does not contain
 * @returns the names in the order of `people`; their `nameKey`s are distinct and not empty
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

/**
 * Maximum number of marks that are removed from the end of a name. Without the limit, a text of thousands of parentheses would take too
 * long *(choice)*.
 */
const MOST_MARKS = 4;

/** Returns the key of a name without its marks: `kunz` for `Kunz (12)`. */
function unmarked(name: string): string {
  let key = nameKey(name);
  for (let i = 0; i < MOST_MARKS; i++) {
    const shorter = key.replace(/ ?\([^()]*\)$/, "");
    if (shorter === key || shorter === "") break;
    key = shorter;
  }
  return key;
}

/**
 * Finds the names that differ from a text only in their marks, for messages about a text that does not name a person. The names are read at
 * the first search, once for all searches.
 */
export function sameButMarks(names: Iterable<string>): (text: string) => readonly string[] {
  let byKey: Map<string, string[]> | undefined;
  return (text) => {
    if (byKey === undefined) {
      byKey = new Map();
      for (const name of names) {
        const key = unmarked(name);
        const same = byKey.get(key);
        if (same === undefined) byKey.set(key, [name]);
        else same.push(name);
      }
    }
    return byKey.get(unmarked(text)) ?? [];
  };
}
