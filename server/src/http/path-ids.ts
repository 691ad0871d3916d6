import { errors } from "../domain/change/errors.js";
import type { PathIds } from "../domain/change/rule.js";

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
/** Ids in a path with `{name}`. */
export type IdsIn<Path extends string> = Pick<PathIds, NamesIn<Path> & keyof PathIds>;

/** Pattern of a path parameter. A path with any other segment is unknown and gets status 404. */
const patterns: Partial<Record<keyof PathIds, string>> = {
  job: "^job-[0-9a-f-]{36}$|^[1-9]\\d{0,15}$",
  serial: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,15}$",
};
const INTEGER_PATTERN = "^[1-9]\\d{0,15}$";

/** Returns the path for the router. */
export const routePath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: keyof PathIds) => `:${name}(${patterns[name] ?? INTEGER_PATTERN})`);

/**
 * Returns the ids of a request from its path parameters.
 * @throws ServiceError `not_found` for a number that is too large
 */
export function pathIds(params: unknown): PathIds {
  const ids = Object.entries(params as Record<string, string>).map(([name, value]) => {
    if (name === "job" || name === "serial") return [name, value];
    const id = Number(value);
    if (!Number.isSafeInteger(id)) throw errors.notFound();
    return [name, id];
  });
  return Object.fromEntries(ids);
}
