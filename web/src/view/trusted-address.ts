interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

const allowed = new Set<string>();
let policy: { createScriptURL(url: string): unknown } | null = null;

/**
 * An address of a script for workers and service workers. The policy of the page allows only script addresses that pass the policy
 * `asi-worker`. The addresses that the code of the page names here pass. Returns a `TrustedScriptURL` if the browser supports it. The return type is `string`, because TypeScript's DOM types accept only strings here.
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
