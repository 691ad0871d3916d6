/** Returns the path under which a proxy serves the API, such as `/tracking`; empty if there is none. */
export const pathPrefix = (baseUrl: string | null): string =>
  baseUrl === null ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
