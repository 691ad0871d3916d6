import { trustedAddress } from "./trusted-address.js";

/** Stores the page for use without a network. Browsers allow this only at HTTPS and loopback addresses. */
export function keepOffline(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const address = new URL("./sw.js", document.baseURI).href;
  // the page works without offline storage
  navigator.serviceWorker.register(trustedAddress(address)).catch(() => {});
}
