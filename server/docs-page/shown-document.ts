/** The OpenAPI document as displayed on this page. */
import { SERVICE_ADDRESS } from "./access.js";

interface CodeSample {
  label: string;
  source: string;
}

interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, Record<string, { "x-codeSamples"?: CodeSample[] }>>;
  components: { securitySchemes?: unknown };
}

/**
 * Users may reach the page at an address that the service does not know, such as the address of a forwarded port. Requests go to
 * the origin of the page, and examples use this address. The page has its own panel for credentials, so it omits security
 * schemes.
 */
export function shownDocument(document: OpenApi): OpenApi {
  const shown = SERVICE_ADDRESS.replace(/\/$/, "");
  const known = document.servers[0]?.url.replace(/\/$/, "");
  document.servers = [{ url: shown }];
  delete document.components.securitySchemes;
  if (known !== undefined && known !== shown) {
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      for (const sample of operation["x-codeSamples"] ?? []) {
        sample.source = sample.source.replaceAll(known, () => shown);
      }
    }
  }
  return document;
}
