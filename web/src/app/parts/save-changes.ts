import { ApiError, unwrap } from "asi-client";
import { ask } from "./dialog.js";
import { labelIn } from "./form.js";
import { FormProblem } from "./refusal-words.js";

export type Answer<Item> = Promise<{ data?: Item; error?: unknown; response: Response }>;

/** The values of an object in the fields of a form, by field name. */
export type Texts = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface Saving<Item> {
  form: HTMLFormElement;
  /** Names of the fields that the user has changed. */
  changed: ReadonlySet<string>;
  /** The object that the form shows. */
  shown: Item;
  textsOf: (item: Item) => Texts;
  read: () => Answer<Item>;
  /** Sends the changes. @param present the current object, for values that are sent together with changed ones */
  write: (headers: Record<string, string>, present: Item) => Answer<Item>;
}

/** Maximum number of characters of a value in the question. */
const MOST_SHOWN = 100;

/** Maximum number of attempts. Each failed attempt means a change by somebody else within a second. */
const MOST_TRIES = 3;

/**
 * Saves the changes in a form. If the object no longer is as the form shows it, the user sees the new values and decides.
 * @returns the saved object
 * @throws ApiError, AwayError; FormProblem if the user does not want to save
 */
export async function saveChanges<Item>(saving: Saving<Item>): Promise<Item> {
  const { form, changed, textsOf, read, write } = saving;
  let { shown } = saving;
  if (changed.size === 0) return shown;
  const entered = new FormData(form);
  for (let tries = 1; ; tries++) {
    const { data: present, error, response } = await read();
    if (present === undefined) throw new ApiError(response, error);
    const [before, now] = [textsOf(shown), textsOf(present)];
    // An earlier request may have saved the user's values although its response was lost.
    const isMine = (name: string) =>
      changed.has(name) && String(now[name] ?? "") === String(entered.get(name) ?? "").trim();
    const theirs = Object.keys(now).filter(
      (name) => (now[name] ?? "") !== (before[name] ?? "") && !isMine(name),
    );
    if (theirs.length > 0 && !(await mayReplace(form, changed, theirs, now)))
      throw new FormProblem({ "": "Nothing is saved. Open the form again to see the new values." });
    shown = present;
    const tag = response.headers.get("ETag");
    const written = await write(tag === null ? {} : { "If-Match": tag }, present);
    if (written.response.status !== 412 || tries === MOST_TRIES) return unwrap(Promise.resolve(written));
  }
}

/** Asks whether to save although somebody else has changed the object. */
function mayReplace(
  form: HTMLFormElement,
  changed: ReadonlySet<string>,
  theirs: readonly string[],
  now: Texts,
): Promise<boolean> {
  const label = (name: string) => labelIn(form)(name) ?? name.replaceAll("_", " ");
  const lost = theirs.filter((name) => changed.has(name)).map(label);
  const values = theirs.map((name) => `${label(name)}: ${valueText(form, name, now[name])}.`);
  const effect =
    lost.length === 0
      ? "Saving keeps these values and adds your changes."
      : `Saving replaces ${lost.join(", ")} by your values.`;
  return ask({
    title: "Somebody else has changed this",
    text: `The new values are: ${values.join(" ")} ${effect}`,
    action: "Save my changes",
    isHarmless: lost.length === 0,
  });
}

/** Returns a value as the form shows it. */
function valueText(form: HTMLFormElement, name: string, value: Texts[string]): string {
  const field = form.elements.namedItem(name);
  const text = String(value ?? "");
  const option =
    field instanceof HTMLSelectElement ? [...field.options].find((one) => one.value === text) : undefined;
  return (option?.text ?? text.replace(/^([\d-]{10})T/, "$1 ").slice(0, MOST_SHOWN)) || "empty";
}

/** Returns the changed fields of a request. Fields of nested objects have names such as `athlete_profile.weight`. */
export function onlyChanged<Body extends object>(
  body: Body,
  changed: ReadonlySet<string>,
  prefix = "",
): Partial<Body> {
  const entries = Object.entries(body).flatMap(([key, value]) => {
    const name = prefix + key;
    if (changed.has(name)) return [[key, value]];
    if (typeof value !== "object" || value === null) return [];
    const nested = onlyChanged(value, changed, `${name}.`);
    return Object.keys(nested).length === 0 ? [] : [[key, nested]];
  });
  return Object.fromEntries(entries);
}
