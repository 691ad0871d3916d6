interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

const allowed = new Set<string>();
let policy: { createScriptURL(url: string): unknown } | null = null;

/**
 * An address of a script as workers and service workers take it. The policy of the page allows scripts only from addresses that
 * pass the policy `asi-worker`; those that the page's own code names here pass. What is returned is a TrustedScriptURL where the
 * browser knows such; the types of the browser say string.
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
