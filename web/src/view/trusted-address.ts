interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

const allowed = new Set<string>();
let policy: { createScriptURL(url: string): unknown } | null = null;

/**
 * Returns the address of a script for workers and service workers, as a `TrustedScriptURL` if the browser supports it. The return type is
 * `string`, because TypeScript's DOM types accept only strings here. The content security policy allows only script addresses that pass the
 * policy `asi-worker`, and that policy accepts the addresses that this file names.
 */
export function trustedAddress(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  allowed.add(address);
  policy ??= trustedTypes.createPolicy("asi-worker", {
    createScriptURL(url) {
      if (!allowed.has(url)) throw new TypeError("Only scripts of this page may be started.");
      return url;
    },
  });
  return policy.createScriptURL(address) as string;
}
