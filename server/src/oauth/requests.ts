/** Requests and errors of the endpoints that applications call (RFC 6749). */

/** The error response of RFC 6749 section 5.2. */
export interface TokenError {
  status: 400 | 401;
  headers: Readonly<Record<string, string>>;
  body: { error: string; error_description: string };
}

export const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" };

const STATUS: Readonly<Record<string, TokenError["status"]>> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
};

/** Creates the error response of RFC 6749 section 5.2. */
export function tokenError(error: string, description: string, basic = false): TokenError {
  const status = STATUS[error] ?? 400;
  return {
    status,
    headers: {
      ...NO_STORE,
      ...(status === 401 && basic ? { "WWW-Authenticate": 'Basic realm="oauth2"' } : {}),
    },
    body: { error, error_description: description },
  };
}

/**
 * Decodes the client id and the secret of HTTP Basic, which clients encode as form values (RFC 6749 section 2.3.1), some of them
 * also "-" and "_". Ids and secrets contain neither "%" nor "+", so those of clients that do not encode them are unchanged.
 * @returns the header for the library, which does not decode them
 */
export function decodedBasic(authorization: string): string {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return authorization;
  const credentials = Buffer.from(encoded, "base64").toString("utf8");
  try {
    const decoded = decodeURIComponent(credentials.replaceAll("+", " "));
    return `Basic ${Buffer.from(decoded).toString("base64")}`;
  } catch {
    // A malformed escape sequence is not the secret of any client.
    return authorization;
  }
}

/** Whether an error is one of RFC 6749 section 5.2. */
export const isTokenError = (error: string): boolean => STATUS[error] !== undefined;

/** Fields of a body; a repeated field is an array. */
export type Form = Readonly<Record<string, string | string[]>>;

/** Returns the fields of a body that have a value, or an error. */
export function fieldsOf(form: Form): { fields: Record<string, string>; error?: TokenError } {
  const fields: Record<string, string> = {};
  const refused = (name: string, problem: string) => ({
    fields,
    error: tokenError("invalid_request", `The field ${name} ${problem}.`),
  });
  for (const [name, value] of Object.entries(form)) {
    if (Array.isArray(value)) return refused(name, "is repeated");
    if (value.includes("\0")) return refused(name, "contains a NUL character");
    if (value !== "") fields[name] = value;
  }
  return { fields };
}
