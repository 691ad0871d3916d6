// A list of objects, one for each gap in a recording, can cost more than reading the recording, and few ask for it.

/** Lists up to this length are simply there: what is printed or looked at in a debugger shows them. */
const SHORT = 10_000;

/** `object` with a list under `key`; a long one is made when it is first asked for. `make` must not depend on the time. */
export function withList<O extends object, K extends string, T>(
  object: O,
  key: K,
  length: number,
  make: () => T[],
): O & Record<K, T[]> {
  if (length <= SHORT) return Object.assign(object, { [key]: make() } as Record<K, T[]>);
  let list: T[] | null = null;
  Object.defineProperty(object, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      list ??= make();
      return list;
    },
  });
  return object as O & Record<K, T[]>;
}
