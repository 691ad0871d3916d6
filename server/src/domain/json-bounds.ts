/** Bounds of what a caller may keep in `json` or `params`, a GPX document apart. */
export const JSON_MAX_BYTES = 64 * 1024;
export const JSON_MAX_MEMBERS = 2_000;

/**
 * Whether a value is larger than what is kept of one.
 * @returns what is wrong, for the field; undefined when nothing is
 */
export function boundsProblem(value: object): string | undefined {
  let members = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) members += inner.length;
    if (members > JSON_MAX_MEMBERS) return `Ensure this object has no more than ${JSON_MAX_MEMBERS} members.`;
    for (const one of inner) open.push(one);
  }
  if (Buffer.byteLength(JSON.stringify(value)) > JSON_MAX_BYTES) {
    return `Ensure this object has no more than ${JSON_MAX_BYTES} bytes as JSON.`;
  }
  return undefined;
}
