import { trustedAddress } from "./trusted-address.js";

/** Keeps the page for use without a network. Browsers allow it at HTTPS and loopback addresses only. */
export function keepOffline(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const address = new URL("./sw.js", document.baseURI).href;
  // a page that cannot be kept still works
  navigator.serviceWorker.register(trustedAddress(address)).catch(() => {});
}
