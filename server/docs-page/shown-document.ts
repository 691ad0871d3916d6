/** The OpenAPI document as this page shows it. */
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
 * The page may be reached by another address than the service knows, such as that of a forwarded port. Requests go where the page comes
 * from, and examples name this address. The page says who sends requests in its own way, so it shows no security schemes.
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
