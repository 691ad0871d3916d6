/** The path under which a proxy serves the API, such as `/tracking`; empty without one. */
export const pathPrefix = (baseUrl: string | null): string =>
  baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
