import { signal } from "@preact/signals";

/** The folder of the page, with a trailing slash. The API of a service is in the same folder. */
export const PAGE_ADDRESS = new URL(".", document.baseURI).href;

/** The interactive documentation of the API. It uses the session of this page. */
export const DOCUMENTATION = `${PAGE_ADDRESS}api/docs/`;

/** Whether a service serves this page, or null while that is unknown. */
export const hasService = signal<boolean | null>(null);

/** The largest recording that the service stores, in bytes, or null if it is unknown. */
export const maxRecordingBytes = signal<number | null>(null);

/** The name of the OpenID provider with which users can sign in, or null if there is none. */
export const providerName = signal<string | null>(null);

/** Whether users can sign in with passwords. */
export const hasPasswords = signal(true);

/**
 * Finds out whether a service serves this page, by a header of the page itself (RFC 8631). Static file servers then get no requests for
 * missing files.
 */
export async function findService(): Promise<void> {
  const address = new URL(document.baseURI);
  address.hash = "";
  try {
    const { headers } = await fetch(address);
    const limit = Number(headers.get("X-Asi-Max-Recording-Bytes"));
    maxRecordingBytes.value = limit > 0 ? limit : null;
    const provider = headers.get("X-Asi-Provider");
    providerName.value = provider === null ? null : decodeURIComponent(provider);
    hasPasswords.value = headers.get("X-Asi-Passwords") !== "off";
    hasService.value = headers.get("link")?.includes('rel="service-desc"') === true;
  } catch {
    hasService.value = false;
  }
}
