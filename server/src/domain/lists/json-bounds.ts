/** Limits on values in `json` or `params`, except for a GPX document. */
export const JSON_MAX_BYTES = 64 * 1024;
export const JSON_MAX_MEMBERS = 2_000;

/**
 * Checks whether a value exceeds the limits for stored JSON.
 * @returns message for the field; undefined if the value is within the limits
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
